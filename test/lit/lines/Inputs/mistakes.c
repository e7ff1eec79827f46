#include <stdio.h>
#pragma streamap resource 1:C inout(x[0:1])
void first(int *x) {
  int unused;
#if MISTAKE == 1
  *x = undeclared + 1;
#elif MISTAKE == 2
  *x = "text" * 2;
#elif MISTAKE == 3
  if (*x) { *x = 1;
#elif MISTAKE == 4
  *x = 1 +;
#endif
  *x = 42;
}
#if MISTAKE == 5
void first(double x);
#elif MISTAKE == 6
int behind = undeclared;
#endif

#pragma streamap resource 1:C split(i) inout(x[i])
void second(int n, int *x) { for (int i = 0; i < n; i++) { long wide = i; x[i] += wide == -1u; } int last = n; }

int main(void) {
  int x[2] = {0};
#if MISTAKE == 7
  first(x, 2);
#elif MISTAKE == 8
  first(&undeclared); second(2, x);
#elif MISTAKE == 9
#pragma streamap wait
  second(2, x) printf("%d\n", x[0]);
#endif
  first(x); int spare = 0;
#pragma streamap wait
  printf("%d\n", x[0] == sizeof x);
  return 0;
}
