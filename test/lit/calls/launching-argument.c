// A directive before a call holds for that call alone: what its arguments launch keeps its own list.
// RUN: %streamap-cc %s -o %t && %t | FileCheck %s
// CHECK: outer 3 3 3
// CHECK: inner 2 2
// CHECK: again 1
#include <stdio.h>
#include <streamap/streamap.h>

static long inner[2], outer[3], again[1];

// Element k of the result: how many tasks task k belongs to.
#pragma streamap resource 2:C inout(count[streamap_task_index()])
void launched_by_argument(long *count)
{
    count[streamap_task_index()] = streamap_task_count();
}

#pragma streamap resource 1:C inout(count[streamap_task_index()])
void outermost(int unused, long *count)
{
    count[streamap_task_index()] = streamap_task_count() + 0 * unused;
}

static int launches(int value)
{
    launched_by_argument(inner);
    return value;
}

int main(void)
{
    #pragma streamap resource 3:C
    outermost(launches(5), outer);
    outermost(0, again);
    #pragma streamap wait
    printf("outer %ld %ld %ld\n", outer[0], outer[1], outer[2]);
    printf("inner %ld %ld\n", inner[0], inner[1]);
    printf("again %ld\n", again[0]);
    return 0;
}
