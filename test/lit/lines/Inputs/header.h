#pragma once
#pragma streamap resource 1:C inout(x[0:1])
static inline void header_task(int *x) {
  *x += __LINE__;
  __builtin_printf("%s:%d: %s\n", __FILE__, __LINE__, __func__);
}
