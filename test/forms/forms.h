/* How a form is written down: a task defined in some way, and a FORM that calls it and shows what it did.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *     FORM(static_function, "static") { NUMBERS(x); task(SIZE, x); #pragma streamap wait ... SHOW(x); }
 *
 * All forms of all files are one program, because a start of mpirun costs a second.
 */
#ifndef FORMS_H
#define FORMS_H

#ifdef __cplusplus
extern "C" {
#endif

enum { SIZE = 12, TEXT = 96 };

struct form {
    const char *name, *what;
    void (*run)(void);
    struct form *next;
};

/* Puts a form into the list that main runs, in the order of names. Called by constructors. */
void form_add(struct form *form);

/* SIZE numbers that differ. */
void form_numbers(int *x);

/* Print what the running form came to, on its line. */
void form_show(int n, const int *x);
void form_say(const char *text);

#ifdef __cplusplus
}
#endif

#define FORM(id, text)                                                                                                           \
    static void form_##id(void);                                                                                                 \
    __attribute__((constructor)) static void form_add_##id(void)                                                                 \
    {                                                                                                                            \
        static struct form form = {#id, text, form_##id, 0};                                                                     \
        form_add(&form);                                                                                                         \
    }                                                                                                                            \
    static void form_##id(void)

#define NUMBERS(x)                                                                                                               \
    int x[SIZE];                                                                                                                 \
    form_numbers(x)

#define SHOW(x) form_show((int)(sizeof(x) / sizeof *(x)), x)

#endif
