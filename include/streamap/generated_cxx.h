/* StreamMAP: what text written by streamap-c++ leans on, beside generated.h, which includes this.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The compiler knows the text of a parameter list and not, in a template, the types in it: how a value travels in the pack is
 * found by overloads here, once for each instantiation. Every name begins with streamap_, members too: any other word could be
 * a macro of the program. Includes no header.
 */
#ifndef STREAMAP_GENERATED_CXX_H
#define STREAMAP_GENERATED_CXX_H

#if __cplusplus < 201103L
#error "StreamMAP: task functions in C++ need -std=c++11 or later"
#endif

typedef __SIZE_TYPE__ streamap_size;

/* ---- Parameters ----------------------------------------------------------------------------------------------------------- */

/* The type of parameter number K of a function of type F, as a call sees it: arrays are pointers, no const at the top. */
template <unsigned K, class F> struct streamap_parameter;
template <class R, class A, class... B> struct streamap_parameter<0, R(A, B...)> {
  typedef A streamap_type;
};
template <unsigned K, class R, class A, class... B>
struct streamap_parameter<K, R(A, B...)> : streamap_parameter<K - 1, R(B...)> {};
template <unsigned K, class F> using streamap_at = typename streamap_parameter<K, F>::streamap_type;

/* How a value of type T lies in the pack. The primary one is for values, whose bytes are copied: T is trivially copyable, and
 * need not have a default constructor. */
template <class T> struct streamap_pass {
  struct streamap_stored {
    alignas(T) unsigned char streamap_bytes[sizeof(T)];
  };
  enum { streamap_is_pointer = 0 };
  static void streamap_put(streamap_stored &to, const T &value) {
    __builtin_memcpy(to.streamap_bytes, __builtin_addressof(value), sizeof(T));
  }
  static T &&streamap_get(const streamap_stored &from) {
    return static_cast<T &&>(*reinterpret_cast<T *>(const_cast<unsigned char *>(from.streamap_bytes)));
  }
};

/* A pointer, replaced by the address of a mirror before a body runs. */
template <class T> struct streamap_pass<T *> {
  typedef void *streamap_stored;
  enum { streamap_is_pointer = 1 };
  static void streamap_put(void *&to, T *value) { to = const_cast<void *>(static_cast<const volatile void *>(value)); }
  static T *streamap_get(void *from) { return static_cast<T *>(from); }
};
template <class T> struct streamap_pass<T *const> : streamap_pass<T *> {};

/* A reference is the address of one element. */
template <class T> struct streamap_pass<T &> {
  typedef void *streamap_stored;
  enum { streamap_is_pointer = 1 };
  static void streamap_put(void *&to, T &value) {
    to = const_cast<void *>(static_cast<const volatile void *>(__builtin_addressof(value)));
  }
  static T &streamap_get(void *from) { return *static_cast<T *>(from); }
};

/* A reference to const is a value, copied at the call: an earlier task may be writing it until then. */
template <class T> struct streamap_pass<const T &> {
  typedef typename streamap_pass<T>::streamap_stored streamap_stored;
  enum { streamap_is_pointer = 0 };
  static void streamap_put(streamap_stored &to, const T &value) {
    streamap_wait_on_bytes(__builtin_addressof(value), sizeof(T));
    __builtin_memcpy(to.streamap_bytes, __builtin_addressof(value), sizeof(T));
  }
  static const T &streamap_get(const streamap_stored &from) { return *reinterpret_cast<const T *>(from.streamap_bytes); }
};

/* std::span: an address and a number of elements, each in the pack by itself. */
template <class S> struct streamap_span;
template <template <class, streamap_size> class S, class E, streamap_size N> struct streamap_span<S<E, N>> {
  static S<E, N> streamap_get(void *from, streamap_size count) { return S<E, N>(static_cast<E *>(from), count); }
};

/* What the body's copy of a captured or read value is: no reference, no const. */
template <class T> struct streamap_bare {
  typedef T streamap_type;
};
template <class T> struct streamap_bare<T &> : streamap_bare<T> {};
template <class T> struct streamap_bare<T &&> : streamap_bare<T> {};
template <class T> struct streamap_bare<const T> : streamap_bare<T> {};
template <class T> struct streamap_bare<volatile T> : streamap_bare<T> {};
template <class T> struct streamap_bare<const volatile T> : streamap_bare<T> {};
template <class T, streamap_size N> struct streamap_bare<T[N]> {
  typedef T *streamap_type;
};
template <class T> struct streamap_bare<T[]> {
  typedef T *streamap_type;
};

/* Where the memory of a section begins. */
template <class T> inline const void *streamap_base(const T *pointer) {
  return const_cast<const void *>(static_cast<const volatile void *>(pointer));
}

/* enum streamap_scalar of T. */
template <class T> struct streamap_scalar_of {
  enum { streamap_value = STREAMAP_NOT_SCALAR };
};
template <class T> struct streamap_scalar_of<const T> : streamap_scalar_of<T> {};
template <class T> struct streamap_scalar_of<T &> : streamap_scalar_of<T> {};
template <class T, streamap_size N> struct streamap_scalar_of<T[N]> : streamap_scalar_of<T> {};
template <class T, streamap_size N> struct streamap_scalar_of<const T[N]> : streamap_scalar_of<T> {};
#define STREAMAP_SCALAR_IS(TYPE, VALUE)                                                                                          \
  template <> struct streamap_scalar_of<TYPE> {                                                                                  \
    enum { streamap_value = VALUE };                                                                                             \
  };
#define STREAMAP_INTEGER_IS(TYPE, SIGN)                                                                                          \
  STREAMAP_SCALAR_IS(TYPE, sizeof(TYPE) == 1   ? STREAMAP_##SIGN##8                                                              \
                           : sizeof(TYPE) == 2 ? STREAMAP_##SIGN##16                                                             \
                           : sizeof(TYPE) == 4 ? STREAMAP_##SIGN##32                                                             \
                                               : STREAMAP_##SIGN##64)
STREAMAP_INTEGER_IS(signed char, I)
STREAMAP_INTEGER_IS(unsigned char, U)
STREAMAP_INTEGER_IS(short, I)
STREAMAP_INTEGER_IS(unsigned short, U)
STREAMAP_INTEGER_IS(int, I)
STREAMAP_INTEGER_IS(unsigned int, U)
STREAMAP_INTEGER_IS(long, I)
STREAMAP_INTEGER_IS(unsigned long, U)
__extension__ STREAMAP_INTEGER_IS(long long, I) __extension__ STREAMAP_INTEGER_IS(unsigned long long, U)
    STREAMAP_SCALAR_IS(char, static_cast<char>(-1) < 0 ? STREAMAP_I8 : STREAMAP_U8) STREAMAP_SCALAR_IS(bool, STREAMAP_BOOL)
        STREAMAP_SCALAR_IS(float, STREAMAP_F32) STREAMAP_SCALAR_IS(double, STREAMAP_F64)
            STREAMAP_SCALAR_IS(long double, STREAMAP_F80)
#undef STREAMAP_INTEGER_IS
#undef STREAMAP_SCALAR_IS

    /* ---- Registration ---------------------------------------------------------------------------------------------------------
     */
    /* Inline functions, templates and members hold their descriptor themselves, in a class of their body, so there is one for
     * each instantiation however many files and libraries have it. A static member of a template on that class registers it at
     * start. */

    template <class Task>
    struct streamap_registered {
  static int streamap_once;
};
template <class Task> int streamap_registered<Task>::streamap_once = (streamap_register(Task::streamap_unit_of_task()), 1);

/* Where such a descriptor is found by those who have the function: annotated calls, and implements. */
template <class F, F *Function> struct streamap_described {
  static const streamap_task *streamap_task_of;
};
template <class F, F *Function> const streamap_task *streamap_described<F, Function>::streamap_task_of = nullptr;

/* Odr-uses what it is given the address of. */
inline void streamap_keep(const void *) {}

#endif
