/* The bodies of the random programs' tasks in C++; see kernels.h. Each kernel has a form of its own: templates over types and values,
 * spans, references, static members, namespaces, overloads, functors.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * They compute what those of kernels.c do, bit for bit.
 */
#include "kernels.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <streamap/streamap.h>

namespace {

template <class T>
std::span<T> part(T *x, long n)
{
    return {x, static_cast<std::size_t>(n)};
}

/* ---- One dimension, split ---- */

#pragma streamap resource (tasks):C split(i) out(x[i])
template <class T>
void fill_task([[maybe_unused]] long tasks, const T &k, std::span<T> x)
{
    for (std::size_t i = 0; i < x.size(); i++)
        x[i] = k * T{2654435761u} + static_cast<T>(i);
}
void fill(long tasks, long n, word k, word *x) { fill_task(tasks, k, part(x, n)); }

#pragma streamap resource (tasks):C split(i) in(x[i]) inout(y[i])
template <auto Factor, class T>
inline void mix_task([[maybe_unused]] long tasks, long n, const T *x, T *y)
{
    for (long i = 0; i < n; i++)
        y[i] = y[i] * Factor + x[i];
}
void mix(long tasks, long n, const word *x, word *y) { mix_task<3u>(tasks, n, x, y); }

struct blender {
    unsigned by;
    constexpr word operator()(word a, word b) const { return (a ^ b) + (a >> by); }
};
#pragma streamap resource (tasks):C split(i) in(x[i], y[i]) out(z[i])
template <class Function>
void apply([[maybe_unused]] long tasks, Function function, std::span<const word> x, const word *y, std::span<word> z)
{
    for (std::size_t i = 0; i < z.size(); i++)
        z[i] = function(x[i], y[i]);
}
void blend(long tasks, long n, const word *x, const word *y, word *z) { apply(tasks, blender{5}, part(x, n), y, part(z, n)); }

struct halos {
    long tasks, radius;

    #pragma streamap resource (self.tasks):C split(i) extent(x[0:n], y[0:n]) in(x[i-self.radius:2*self.radius+1]) out(y[i])
    static void run(const halos &self, long n, const word *x, word *y)
    {
        for (long i = 0; i < n; i++) {
            word sum = 1;
            for (long k = i - self.radius; k <= i + self.radius; k++)
                if (k >= 0 && k < n)
                    sum = sum * 5 + x[k];
            y[i] = sum;
        }
    }
};
void halo(long tasks, long n, long radius, const word *x, word *y) { halos::run({tasks, radius}, n, x, y); }

#pragma streamap resource (tasks):C split(i) inout(x[i])
template <bool Up>
void step_task(long tasks, long first, long n, long by, word *x);

#pragma streamap resource (tasks):C split(i) inout(x[i])
template <>
void step_task<true>([[maybe_unused]] long tasks, long first, long n, long by, word *x)
{
    for (long i = first; i < n; i += by)
        x[i] = x[i] * 7 + static_cast<word>(i);
}

#pragma streamap resource (tasks):C split(i) inout(x[i])
template <>
void step_task<false>([[maybe_unused]] long tasks, long first, long n, long by, word *x)
{
    for (long i = n - 1; i >= first; i -= by)
        x[i] ^= (x[i] << 3) + static_cast<word>(i);
}
void strided(long tasks, long first, long n, long by, word *x) { step_task<true>(tasks, first, n, by, x); }
void downwards(long tasks, long first, long n, long by, word *x) { step_task<false>(tasks, first, n, by, x); }

/* Writes only where x says so, although the section is out. */
#pragma streamap resource (tasks):C split(i) in(x[i]) out(y[i])
auto some_task([[maybe_unused]] long tasks, std::span<const word> x, std::span<word> y) noexcept -> void
{
    for (std::size_t i = 0; i < x.size(); i++)
        if (x[i] & 4)
            y[i] = x[i] + 1;
}
void some(long tasks, long n, const word *x, word *y) { some_task(tasks, part(x, n), part(y, n)); }

#pragma streamap resource (tasks):C split(i) extent(x[0:n], y[0:n]) in(x[i-Radius:2*Radius+1]) inout(y[i])
template <class T, long Radius>
void smooth_task([[maybe_unused]] long tasks, long n, const T *x, T *y)
{
    for (long i = 0; i < n; i++) {
        T sum = y[i] + 2 * x[i];
        for (long k = 1; k <= Radius; k++)
            sum = sum + (i >= k ? x[i - k] : 0) + (i + k < n ? x[i + k] : 0);
        y[i] = static_cast<T>(static_cast<long>(sum) % 9973);
    }
}
void smooth(long tasks, long n, const double *x, double *y) { smooth_task<double, 1>(tasks, n, x, y); }

/* ---- Two dimensions ---- */

struct pitches {
    long a, b;
};
#pragma streamap resource (tasks):C split(i) in(a[i*by.a:length]) inout(b[i*by.b:length])
void rows_task([[maybe_unused]] long tasks, long rows, const long &length, pitches by, const word *a, word *b)
{
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < length; j++)
            b[i * by.b + j] += 3 * a[i * by.a + j];
}
void rows(long tasks, long rows, long length, long pitch_a, long pitch_b, const word *a, word *b)
{
    rows_task(tasks, rows, length, {pitch_a, pitch_b}, a, b);
}

namespace gathering {
#pragma streamap resource (tasks):C split(i) in(a[i*pitch]) out(b[i])
template <class T>
void copy([[maybe_unused]] long tasks, long pitch, const T *a, std::span<T> b)
{
    for (std::size_t i = 0; i < b.size(); i++)
        b[i] = a[static_cast<long>(i) * pitch];
}
}
namespace scattering {
#pragma streamap resource (tasks):C split(i) in(a[i]) out(b[i*pitch])
template <class T>
void copy([[maybe_unused]] long tasks, long pitch, std::span<const T> a, T *b)
{
    for (std::size_t i = 0; i < a.size(); i++)
        b[static_cast<long>(i) * pitch] = ~a[i];
}
}
void pick(long tasks, long n, long pitch, const word *a, word *b) { gathering::copy(tasks, pitch, a, part(b, n)); }
void scatter(long tasks, long n, long pitch, const word *a, word *b) { scattering::copy(tasks, pitch, part(a, n), b); }

/* The same columns of two matrices, strided: C++ has no array parameters of a variable pitch, so each row is a call. */
#pragma streamap resource 1:C in(a) inout(b)
void block_row(std::span<const word> a, std::span<word> b)
{
    for (std::size_t j = 0; j < b.size(); j++)
        b[j] = b[j] * 5 ^ a[j];
}
void block(long rows, long pitch, long column, long length, const word *a, word *b)
{
    for (long i = 0; i < rows; i++)
        block_row(part(a + i * pitch + column, length), part(b + i * pitch + column, length));
}

/* ---- One task, several pointers ---- */

/* Whatever overlaps here overlaps in the task as it does at home. */
#pragma streamap resource 1:C in(a) inout(b) out(c)
void tangle_task(std::span<const word> a, std::span<word> b, std::span<word> c)
{
    const long n = static_cast<long>(a.size()), m = static_cast<long>(b.size()), l = static_cast<long>(c.size());
    for (long i = 0; i < m; i++)
        b[static_cast<std::size_t>(i)] += n > 0 ? a[static_cast<std::size_t>(i % n)] : 1;
    for (long i = 0; i < l; i++)
        c[static_cast<std::size_t>(i)] = (m > 0 ? b[static_cast<std::size_t>((i * 3) % m)] : 2) + (n > 0 ? a[static_cast<std::size_t>(n - 1 - i % n)] : 3);
}
void tangle(long n, long m, long l, const word *a, word *b, word *c) { tangle_task(part(a, n), part(b, m), part(c, l)); }

#pragma streamap resource 1:C in(first[0:1], last[0:1])
void ends_task(word &b_first, word &b_last, const word *first, const word *last)
{
    b_first += *last;
    b_last ^= *first;
}
void ends(long n, const word *a, word *b) { ends_task(b[0], b[n - 1], a, a + n - 1); }

#pragma streamap resource 1:C out(y)
void sparse_task(word k, std::span<word> y)
{
    for (std::size_t i = k % 3; i < y.size(); i += 3)
        y[i] = k + static_cast<word>(i);
}
void sparse(long n, word k, word *y) { sparse_task(k, part(y, n)); }

/* ---- Tasks by number ---- */

constexpr long from(long n, long index, long count) { return n * index / count; }

#pragma streamap resource (tasks):C in(x) \
    inout(y[from(n, streamap_task_index(), streamap_task_count()): \
            from(n, streamap_task_index() + 1, streamap_task_count()) - from(n, streamap_task_index(), streamap_task_count())])
void parts_task([[maybe_unused]] long tasks, long n, std::span<const word> x, word *y)
{
    for (long i = from(n, streamap_task_index(), streamap_task_count()); i < from(n, streamap_task_index() + 1, streamap_task_count()); i++)
        y[i] = y[i] * 9 + x[static_cast<std::size_t>(n - 1 - i)];
}
void parts(long tasks, long n, const word *x, word *y) { parts_task(tasks, n, part(x, n), y); }

/* ---- Reductions ---- */

#pragma streamap resource (tasks):C split(i) in(x[i]) reduction(+: s)
template <class T, class Sum>
void sum_task([[maybe_unused]] long tasks, std::span<const T> x, Sum &s)
{
    for (std::size_t i = 0; i < x.size(); i++)
        if constexpr (sizeof(T) == sizeof(double))
            s += static_cast<Sum>(static_cast<long>(x[i]) % 997);
        else
            s += x[i];
}
void sum(long tasks, long n, const word *x, word *s) { sum_task(tasks, part(x, n), *s); }
void total(long tasks, long n, const double *x, double *s) { sum_task(tasks, part(x, n), *s); }

#pragma streamap resource (tasks):C split(i) in(x[i]) reduction(^: s)
template <std::size_t Bins>
void bins_task([[maybe_unused]] long tasks, long n, const word *x, word (&s)[Bins])
{
    for (long i = 0; i < n; i++)
        s[x[i] % Bins] ^= x[i] >> 3;
}
void bins(long tasks, long n, const word *x, word *s) { bins_task(tasks, n, x, *reinterpret_cast<word(*)[BINS]>(s)); }

#pragma streamap resource (tasks):C split(i) in(x[i]) reduction(max: s[0])
void most_task([[maybe_unused]] long tasks, std::span<const word> x, std::span<word, 1> s)
{
    for (std::size_t i = 0; i < x.size(); i++)
        if (x[i] > s[0])
            s[0] = x[i];
}
void most(long tasks, long n, const word *x, word *s) { most_task(tasks, part(x, n), std::span<word, 1>(s, 1)); }

/* ---- Counts and bounds out of memory; tasks in tasks ---- */

#pragma streamap resource (plan[0] % 5 + 1):C split(i) in(plan[0:1]) inout(x[i])
template <class T>
void counted_task(long n, const T *plan, T *x)
{
    for (long i = 0; i < n; i++)
        x[i] += plan[0] | 1;
}
void counted(long n, const word *plan, word *x) { counted_task(n, plan, x); }

#pragma streamap resource 1:C in(plan[0:1]) inout(x[0:plan[0]%Bound])
template <word Bound>
void bounded_task(const word *plan, word *x)
{
    const word n = plan[0] % Bound;
    std::for_each(x, x + n, [n](word &value) { value -= n; });
}
void bounded(const word *plan, word *x) { bounded_task<BOUND>(plan, x); }

#pragma streamap resource 1:C in(x) inout(y)
void nested_task(std::span<const word> x, std::span<word> y)
{
    const long n = static_cast<long>(x.size());
    mix_task<3u>(3, n, x.data(), y.data());
    #pragma streamap wait
    step_task<true>(2, 0, n, 2, y.data());
}
void nested(long n, const word *x, word *y) { nested_task(part(x, n), part(y, n)); }

} // namespace

const struct kernels KERNELS = {
    .fill = fill, .mix = mix, .blend = blend, .halo = halo, .strided = strided, .downwards = downwards, .some = some, .smooth = smooth,
    .rows = rows, .pick = pick, .scatter = scatter, .block = block, .tangle = tangle, .ends = ends, .sparse = sparse, .parts = parts,
    .sum = sum, .bins = bins, .most = most, .total = total, .counted = counted, .bounded = bounded, .nested = nested,
};
