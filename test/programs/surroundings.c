/* Tasks see the directory, the environment and the locale that main was started in.
 * env: TEST_WORD=a word of two
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "show.h"

#pragma streamap resource 1:C out(text[0:size])
void look(long size, char *text)
{
    const char *word = getenv("TEST_WORD");
    memset(text, 0, size);
    strncpy(text, word ? word : "nothing", size / 4 - 1);
    if (!getcwd(text + size / 4, size / 2))
        strcpy(text + size / 4, "nowhere");
    strncpy(text + size / 4 * 3, setlocale(LC_ALL, NULL), size / 4 - 1);
}

int main(void)
{
    static char text[12][4096];
    char here[2048];
    if (!getcwd(here, sizeof here))
        return 1;
    for (int i = 0; i < 12; i++)
        look(sizeof text[i], text[i]);
    #pragma streamap wait
    for (int i = 0; i < 12; i++)
        printf("%s, %s, %s\n", text[i], strcmp(text[i] + 1024, here) == 0 ? "the same directory" : text[i] + 1024, text[i] + 3072);
    return 0;
}
