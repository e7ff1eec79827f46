/* Digraphs for the body's braces.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "../forms.h"

#pragma streamap resource 2:C split(i) inout(x[i])
void c_digraphs(int n, int *x) <%
    for (int i = 0; i < n; i++)
        x<:i:> += 3;
%>
FORM(c_digraphs, "digraphs for braces and brackets") { NUMBERS(x); c_digraphs(SIZE, x);
    #pragma streamap wait
    SHOW(x); }
