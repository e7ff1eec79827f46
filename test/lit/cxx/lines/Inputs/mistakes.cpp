namespace deep {
#pragma streamap resource 1:C inout(x[0:1])
template <class T>
void first(T *x) {
  int unused;
#if MISTAKE == 1
  *x = undeclared + 1;
#elif MISTAKE == 2
  x->member = 2;
#elif MISTAKE == 3
  static_assert(sizeof(T) == 1, "of another size");
#elif MISTAKE == 4
  *x = sizeof(T) + "one" * 2;
#endif
  *x = 42;
}
#if MISTAKE == 5
int first = 1;
#elif MISTAKE == 6
int behind = undeclared;
#endif
}

struct tools {
#pragma streamap resource 2:C split(i) inout(x[i])
  static void second(int n, int *x) noexcept { for (int i = 0; i < n; i++) { long wide = i; x[i] += wide == -1u; } int last = 0; }
#if MISTAKE == 7
  int second;
#endif
};

#pragma streamap resource 1:C inout(x)
auto third(int &x) -> void { x = "text"[0] + 1; const int *p = &x; if (x = 1) x++; }

int main() {
  int x[2] = {0};
#if MISTAKE == 8
  deep::first(x, 2);
#elif MISTAKE == 9
  deep::first(&undeclared); tools::second(2, x);
#elif MISTAKE == 10
#pragma streamap wait
  tools::second(2, x) __builtin_printf("%d\n", x[0]);
#elif MISTAKE == 11
  third(7);
#elif MISTAKE == 12
  auto call = [&x](int tasks) { tools::second(2, x); return tasks + undeclared; };
#endif
  deep::first(x); int spare = 0;
  deep::first<long>(nullptr);
#pragma streamap wait
  __builtin_printf("%d\n", x[0] == sizeof x);
  return 0;
}
