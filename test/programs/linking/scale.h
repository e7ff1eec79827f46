/* What the other files know of the task: with the pragma, or, as a third party would have it, without.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef SCALE_H
#define SCALE_H

#ifdef ANNOTATED
#pragma streamap resource 3:C split(i) inout(x[i])
#endif
void scale(long n, int k, int *x);

void scale_twice(long n, int *x); /* calls scale, in whichever file */

#endif
