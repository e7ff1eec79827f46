/* Runs all forms and prints a line for each.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stdio.h>
#include <string.h>

#include "forms.h"

static struct form *forms;

void form_add(struct form *form)
{
    struct form **place = &forms;
    while (*place && strcmp((*place)->name, form->name) < 0)
        place = &(*place)->next;
    form->next = *place;
    *place = form;
}

void form_numbers(int *x)
{
    for (int i = 0; i < SIZE; i++)
        x[i] = (i * 37 + 11) % 101;
}

void form_show(int n, const int *x)
{
    for (int i = 0; i < n; i++)
        printf(" %d", x[i]);
}

void form_say(const char *text)
{
    printf(" [%s]", text);
}

int main(void)
{
    for (struct form *form = forms; form; form = form->next) {
        printf("%s (%s):", form->name, form->what);
        form->run();
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
