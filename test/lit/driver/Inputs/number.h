#define NUMBER 41 + 1
#ifndef URGENCY
#define URGENCY 1
#endif
