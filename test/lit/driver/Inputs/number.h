#define NUMBER 41 + 1
#ifndef COUNT
#define COUNT 1
#endif
