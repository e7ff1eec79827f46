// One directive that both compilers see, and one in a branch that only the host compiler takes: the second task would be a plain
// function.
// RUN: rm -f %t.o
// RUN: not %streamap-cc -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not ls %t.o

// REQUIRES: gcc
#pragma streamap resource 1:C
void seen(int n, float y[n])
{
    y[0] = n;
}

#ifndef __has_feature
// CHECK: branches.c:[[#@LINE+1]]: error: {{.*}} another branch {{.*}} [SM1702]
#pragma streamap resource 1:C
void missed(int n, float y[n])
{
    y[0] = n;
}
#endif
