#include "number.h"
#include <stdio.h>
#pragma streamap resource 1:C priority(URGENCY) inout(x[0:1])
void set(int *x) { *x += NUMBER; }
#ifndef NO_MAIN
int main(void) {
  int x = 0;
  set(&x);
#pragma streamap wait
  printf("%d\n", x);
  return 0;
}
#endif
