/* Tasks see the directory and the environment that main was started in.
 * env: TEST_WORD=a word of two
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "show.h"

#pragma streamap resource 1:C out(text[0:size])
void look(long size, char *text)
{
    const char *word = getenv("TEST_WORD");
    memset(text, 0, size);
    strncpy(text, word ? word : "nothing", size / 2 - 1);
    if (!getcwd(text + size / 2, size / 2))
        strcpy(text + size / 2, "nowhere");
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
        printf("%s, %s\n", text[i], strcmp(text[i] + 2048, here) == 0 ? "the same directory" : text[i] + 2048);
    return 0;
}
