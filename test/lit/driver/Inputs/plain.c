#include <stdio.h>
#ifndef VALUE
#define VALUE 1
#endif
int value(void) { return VALUE; }
#ifdef MAIN
int main(void) { printf("%d\n", value()); return 0; }
#endif
