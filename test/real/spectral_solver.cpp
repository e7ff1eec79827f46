/* Two-dimensional flow in a periodic box: vorticity by a pseudo-spectral method, with a fast Fourier transform of its own.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *     dw/dt + u . grad w = nu lap w,    lap psi = -w,    u = (dpsi/dy, -dpsi/dx)
 *
 * Time goes on by a third-order Runge-Kutta scheme with an integrating factor for the viscous part; products are freed of aliases
 * by the 2/3 rule. Transforms go over rows, transpose, and go over rows again; rows are what tasks have. The program checks itself
 * with a Taylor-Green vortex, whose decay is known, and with the conservation of energy without viscosity.
 */
#include <array>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fourier {

enum class Way { forth, back };

/* Twiddle factors and the order of bits for rows of n elements, n a power of two. */
template <std::floating_point Real>
class Plan {
public:
    using Complex = std::complex<Real>;

    explicit Plan(std::size_t n) : size_(n)
    {
        if (n < 2 || (n & (n - 1)) != 0)
            throw std::invalid_argument("a transform's length is a power of two, not " + std::to_string(n));
        for (std::size_t k = 0; k < n / 2; k++) {
            const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
            twiddles_.emplace_back(static_cast<Real>(std::cos(angle)), static_cast<Real>(std::sin(angle)));
        }
        for (std::size_t k = 0, reversed = 0; k < n; k++) {
            order_.push_back(static_cast<std::uint32_t>(reversed));
            std::size_t bit = n >> 1;
            for (; bit > 0 && (reversed & bit); bit >>= 1)
                reversed ^= bit;
            reversed |= bit;
        }
    }

    std::size_t size() const { return size_; }
    std::span<const Complex> twiddles() const { return twiddles_; }
    std::span<const std::uint32_t> order() const { return order_; }

private:
    std::size_t size_;
    std::vector<Complex> twiddles_;
    std::vector<std::uint32_t> order_;
};

/* One row, in place. */
template <std::floating_point Real>
void transform_row(long n, bool back, const std::complex<Real> *twiddles, const std::uint32_t *order, std::complex<Real> *row)
{
    for (long k = 0; k < n; k++)
        if (static_cast<long>(order[k]) > k)
            std::swap(row[k], row[order[k]]);
    for (long half = 1; half < n; half *= 2)
        for (long start = 0; start < n; start += 2 * half)
            for (long k = 0; k < half; k++) {
                const std::complex<Real> w = twiddles[k * (n / (2 * half))];
                const Real sign = back ? Real(-1) : Real(1);
                const std::complex<Real> a = row[start + k], b = row[start + k + half];
                /* The product is spelt out: operator* looks for NaN and calls the library. */
                const std::complex<Real> t{b.real() * w.real() - b.imag() * (sign * w.imag()), b.real() * (sign * w.imag()) + b.imag() * w.real()};
                row[start + k] = a + t;
                row[start + k + half] = a - t;
            }
}

#pragma streamap resource *:C split(r) in(twiddles, order) inout(a[r*n:n])
template <std::floating_point Real>
void transform_rows(long rows, long n, Way way, std::span<const std::complex<Real>> twiddles, std::span<const std::uint32_t> order,
                    std::complex<Real> *a)
{
    for (long r = 0; r < rows; r++)
        transform_row(n, way == Way::back, twiddles.data(), order.data(), a + r * n);
}

/* to[r][k] = scale * from[k][r] */
#pragma streamap resource *:C split(r) in(from[0:n][r]) out(to[r][0:n])
template <class Complex, class Real>
void transpose(long n, Real scale, const Complex (*from)[64], Complex (*to)[64])
    requires(sizeof(Complex) == 2 * sizeof(Real));

/* The same for any size, in blocks. */
#pragma streamap resource *:C split(r) in(from[0:n*n]) out(to[r*n:n])
template <class Real>
void transpose_any(long n, Real scale, const std::complex<Real> *from, std::complex<Real> *to)
{
    for (long r = 0; r < n; r++)
        for (long k = 0; k < n; k++)
            to[r * n + k] = scale * from[k * n + r];
}

#pragma streamap resource *:C split(r) in(from[0:n][r]) out(to[r][0:n])
template <class Complex, class Real>
void transpose(long n, Real scale, const Complex (*from)[64], Complex (*to)[64])
    requires(sizeof(Complex) == 2 * sizeof(Real))
{
    for (long r = 0; r < n; r++)
        for (long k = 0; k < n; k++)
            to[r][k] = scale * from[k][r];
}

} // namespace fourier

namespace flow {

using Real = double;
using Complex = std::complex<Real>;

/* Wave number of row or column k of n. */
constexpr long wave(long k, long n) { return k <= n / 2 ? k : k - n; }

/* Whether a product of two such waves would come back as another one. */
constexpr bool is_alias(long ky, long kx, long n)
{
    const auto is_high = [n](long k) { return 3 * (k < 0 ? -k : k) >= n; };
    return is_high(ky) || is_high(kx);
}

/* From vorticity: velocity (u + i v in one array, as both are real in space) and its gradient likewise. */
#pragma streamap resource *:C split(y) in(w[y*n:n]) out(velocity[y*n:n], gradient[y*n:n])
void derive(long n, const Complex *w, Complex *velocity, Complex *gradient)
{
    constexpr Complex i{0, 1};
    for (long y = 0; y < n; y++) {
        const Real ky = static_cast<Real>(wave(y, n));
        for (long x = 0; x < n; x++) {
            const Real kx = static_cast<Real>(wave(x, n));
            const Real k2 = kx * kx + ky * ky;
            const Complex value = is_alias(wave(y, n), wave(x, n), n) ? Complex{} : w[y * n + x];
            const Complex psi = k2 > 0 ? value / k2 : Complex{};
            const Complex u = Complex{-ky * psi.imag(), ky * psi.real()}, v = Complex{kx * psi.imag(), -kx * psi.real()};
            const Complex wx = Complex{-kx * value.imag(), kx * value.real()}, wy = Complex{-ky * value.imag(), ky * value.real()};
            velocity[y * n + x] = u + i * v;
            gradient[y * n + x] = wx + i * wy;
        }
    }
}

/* In space: -(u . grad w), real. */
#pragma streamap resource *:C split(y) in(velocity[y*n:n], gradient[y*n:n]) out(product[y*n:n])
void multiply(long n, const Complex *velocity, const Complex *gradient, Complex *product)
{
    for (long y = 0; y < n; y++)
        for (long x = y * n; x < y * n + n; x++)
            product[x] = -(velocity[x].real() * gradient[x].real() + velocity[x].imag() * gradient[x].imag());
}

/* The numbers of one stage of the scheme: result = decay_start * start + decay_now * (now + dt * slope). */
struct Stage {
    Real start, now, step;  /* weights */
    Real from, to;          /* times of this stage in units of the time step */
};

#pragma streamap resource *:C split(y) in(start[y*n:n], slope[y*n:n]) inout(now[y*n:n])
void advance(long n, const Stage &stage, Real viscosity, Real dt, const Complex *start, const Complex *slope, Complex *now)
{
    for (long y = 0; y < n; y++) {
        const Real ky = static_cast<Real>(wave(y, n));
        for (long x = 0; x < n; x++) {
            const Real kx = static_cast<Real>(wave(x, n));
            const Real rate = -viscosity * (kx * kx + ky * ky) * dt;
            const Real whole = std::exp(rate * stage.to), part = std::exp(rate * (stage.to - stage.from));
            const Complex push = is_alias(wave(y, n), wave(x, n), n) ? Complex{} : stage.step * dt * slope[y * n + x];
            now[y * n + x] = stage.start * whole * start[y * n + x] + stage.now * part * (now[y * n + x] + push);
        }
    }
}

/* Energy and enstrophy of each row of waves; main adds them up in order, so that the sum is the same everywhere. */
struct RowSums {
    Real energy = 0, enstrophy = 0;
};

#pragma streamap resource 2:C split(y) in(w[y*n:n]) out(sums[y])
void add_rows(long n, const Complex *w, RowSums *sums)
{
    for (long y = 0; y < n; y++) {
        RowSums sum;
        for (long x = 0; x < n; x++) {
            const Real ky = static_cast<Real>(wave(y, n)), kx = static_cast<Real>(wave(x, n));
            const Real square = std::norm(w[y * n + x]), k2 = kx * kx + ky * ky;
            sum.enstrophy += square / 2;
            if (k2 > 0)
                sum.energy += square / k2 / 2;
        }
        sums[y] = sum;
    }
}

#pragma streamap resource *:C split(y) in(velocity[y*n:n]) reduction(max: fastest)
void find_fastest(long n, const Complex *velocity, Real &fastest)
{
    for (long y = 0; y < n; y++)
        for (long x = 0; x < n; x++) {
            const Real speed = std::abs(velocity[y * n + x].real()) + std::abs(velocity[y * n + x].imag());
            if (speed > fastest)
                fastest = speed;
        }
}

/* A square array of complex numbers on the heap, at a cache line's start. */
class Field {
public:
    explicit Field(long n) : n_(n), values_(static_cast<Complex *>(std::aligned_alloc(64, bytes())))
    {
        if (!values_)
            throw std::bad_alloc();
        std::memset(static_cast<void *>(values_.get()), 0, bytes());
    }

    long size() const { return n_; }
    std::size_t bytes() const { return static_cast<std::size_t>(n_ * n_) * sizeof(Complex); }
    Complex *data() { return values_.get(); }
    const Complex *data() const { return values_.get(); }
    Complex &operator()(long y, long x) { return values_[y * n_ + x]; }
    const Complex &operator()(long y, long x) const { return values_[y * n_ + x]; }
    friend void swap(Field &a, Field &b) noexcept
    {
        std::swap(a.n_, b.n_);
        std::swap(a.values_, b.values_);
    }

private:
    struct Free {
        void operator()(Complex *p) const { std::free(p); }
    };
    long n_;
    std::unique_ptr<Complex[], Free> values_;
};

class Transform {
public:
    explicit Transform(long n) : n_(n), plan_(static_cast<std::size_t>(n)), spare_(n) {}

    void forth(Field &field) { both(field, fourier::Way::forth, 1); }
    void back(Field &field) { both(field, fourier::Way::back, Real(1)); }

private:
    void rows(Field &field, fourier::Way way)
    {
        fourier::transform_rows<Real>(n_, n_, way, plan_.twiddles(), plan_.order(), field.data());
    }

    /* Forwards the result is divided by the number of elements, so that wave 0 is the mean. */
    void both(Field &field, fourier::Way way, Real)
    {
        const Real scale = way == fourier::Way::forth ? Real(1) / static_cast<Real>(n_) : Real(1);
        rows(field, way);
        turn(scale, field, spare_);
        rows(spare_, way);
        turn(scale, spare_, field);
    }

    void turn(Real scale, const Field &from, Field &to)
    {
        if (n_ == 64)
            fourier::transpose(n_, scale, reinterpret_cast<const Complex(*)[64]>(from.data()), reinterpret_cast<Complex(*)[64]>(to.data()));
        else
            fourier::transpose_any(n_, scale, from.data(), to.data());
    }

    long n_;
    fourier::Plan<Real> plan_;
    Field spare_;
};

struct Totals {
    Real energy = 0, enstrophy = 0;
};

class Solver {
public:
    Solver(long n, Real viscosity) : n_(n), viscosity_(viscosity), transform_(n), w_(n), start_(n), velocity_(n), gradient_(n), product_(n) {}

    Solver(const Solver &) = delete;
    Solver &operator=(const Solver &) = delete;

    /* What has been launched on the fields ends before they do. */
    ~Solver()
    {
        #pragma streamap wait
    }

    /* Vorticity in space, a function of two angles. */
    void set(const std::function<Real(Real, Real)> &vorticity)
    {
        #pragma streamap wait
        for (long y = 0; y < n_; y++)
            for (long x = 0; x < n_; x++)
                w_(y, x) = vorticity(angle(y), angle(x));
        transform_.forth(w_);
    }

    /* One step of size dt. Nothing in it waits: the whole step is launched. */
    void step(Real dt)
    {
        static constexpr std::array<Stage, 3> scheme{{{0, 1, 1, 0, 1}, {0.75, 0.25, 1, 1, 0.5}, {1.0 / 3, 2.0 / 3, 1, 0.5, 1}}};
        copy(w_, start_);
        for (const Stage &stage : scheme) {
            slope();
            advance(n_, stage, viscosity_, dt, start_.data(), product_.data(), w_.data());
        }
        time_ += dt;
    }

    /* The largest stable step: looks at the velocity in space, which is one number that comes home. */
    Real stable_step()
    {
        derive(n_, w_.data(), velocity_.data(), gradient_.data());
        transform_.back(velocity_);
        Real fastest = 1e-30;
        find_fastest(n_, velocity_.data(), fastest);
        #pragma streamap wait on(fastest)
        return 0.6 * (2 * std::numbers::pi / static_cast<Real>(n_)) / fastest;
    }

    Totals totals()
    {
        std::vector<RowSums> sums(static_cast<std::size_t>(n_));
        add_rows(n_, w_.data(), sums.data());
        const RowSums *first = sums.data();
        #pragma streamap wait on(first[0:n_])
        Totals result;
        for (const auto &[energy, enstrophy] : std::span(first, sums.size())) {
            result.energy += energy;
            result.enstrophy += enstrophy;
        }
        return result;
    }

    /* Vorticity in space, brought home. */
    Field in_space()
    {
        Field result(n_);
        copy(w_, result);
        transform_.back(result);
        #pragma streamap wait
        return result;
    }

    Real time() const { return time_; }
    Real angle(long k) const { return 2 * std::numbers::pi * static_cast<Real>(k) / static_cast<Real>(n_); }

private:
    void slope()
    {
        derive(n_, w_.data(), velocity_.data(), gradient_.data());
        transform_.back(velocity_);
        transform_.back(gradient_);
        multiply(n_, velocity_.data(), gradient_.data(), product_.data());
        transform_.forth(product_);
    }

    #pragma streamap resource 2:C split(y) in(from[y*n:n]) out(to[y*n:n])
    static void copy_rows(long n, const Complex *from, Complex *to)
    {
        for (long y = 0; y < n; y++)
            std::memcpy(static_cast<void *>(to + y * n), from + y * n, static_cast<std::size_t>(n) * sizeof *to);
    }

    void copy(const Field &from, Field &to) { copy_rows(n_, from.data(), to.data()); }

    long n_;
    Real viscosity_, time_ = 0;
    Transform transform_;
    Field w_, start_, velocity_, gradient_, product_;
};

} // namespace flow

namespace {

std::uint64_t fingerprint(const flow::Field &field)
{
    std::uint64_t hash = 14695981039346656037u;
    std::vector<unsigned char> bytes(field.bytes());
    std::memcpy(bytes.data(), field.data(), bytes.size());
    for (unsigned char byte : bytes)
        hash = (hash ^ byte) * 1099511628211u;
    return hash;
}

bool check(std::string_view what, double error, double bound)
{
    const bool fine = error < bound;
    std::printf("%s: error %.3e, %s\n", std::string(what).c_str(), error, fine ? "right" : "WRONG");
    return fine;
}

/* A transform there and back is nothing; a single wave is a single number. */
bool check_transform(long n)
{
    flow::Field field(n);
    flow::Transform transform(n);
    for (long y = 0; y < n; y++)
        for (long x = 0; x < n; x++)
            field(y, x) = std::cos(2 * std::numbers::pi * static_cast<double>(3 * y - 2 * x) / static_cast<double>(n));
    transform.forth(field);
    #pragma streamap wait
    double error = std::abs(field(3, n - 2) - 0.5) + std::abs(field(n - 3, 2) - 0.5) + std::abs(field(1, 1));
    transform.back(field);
    #pragma streamap wait
    for (long y = 0; y < n; y++)
        for (long x = 0; x < n; x++)
            error = std::max(error, std::abs(field(y, x) - std::cos(2 * std::numbers::pi * static_cast<double>(3 * y - 2 * x) / static_cast<double>(n))));
    return check("transform of " + std::to_string(n), error, 1e-12);
}

/* A Taylor-Green vortex keeps its shape and decays by exp(-2 k^2 nu t). */
bool check_decay(long n)
{
    const double viscosity = 0.05, wave = 2;
    const auto vortex = [=](double y, double x) { return std::cos(wave * y) * std::cos(wave * x); };
    flow::Solver solver(n, viscosity);
    solver.set(vortex);
    for (int k = 0; k < 10; k++)
        solver.step(0.02);
    const flow::Field field = solver.in_space();
    const double decay = std::exp(-2 * wave * wave * viscosity * solver.time());
    double error = 0;
    for (long y = 0; y < n; y++)
        for (long x = 0; x < n; x++)
            error = std::max(error, std::abs(field(y, x) - decay * vortex(solver.angle(y), solver.angle(x))));
    return check("decay of a Taylor-Green vortex", error, 1e-10);
}

/* Without viscosity energy and enstrophy stay, up to the scheme's error. */
bool check_conservation(long n)
{
    flow::Solver solver(n, 0);
    solver.set([](double y, double x) { return std::cos(y) + 0.6 * std::cos(2 * x + y) + 0.3 * std::sin(3 * x - 2 * y); });
    const flow::Totals before = solver.totals();
    for (int k = 0; k < 12; k++)
        solver.step(0.01);
    const flow::Totals after = solver.totals();
    return check("energy without viscosity", std::abs(after.energy - before.energy) / before.energy, 1e-6) &&
           check("enstrophy without viscosity", std::abs(after.enstrophy - before.enstrophy) / before.enstrophy, 1e-6);
}

/* Two shear layers that roll up: what such solvers are for. */
void run_shear_layers(long n, int steps)
{
    flow::Solver solver(n, 5e-4);
    solver.set([](double y, double x) {
        const double thickness = std::numbers::pi / 15;
        const auto layer = [&](double at) { return 1 / (thickness * std::pow(std::cosh((y - at) / thickness), 2)); };
        return layer(0.5 * std::numbers::pi) - layer(1.5 * std::numbers::pi) + 0.05 * std::cos(x) + 0.02 * std::sin(3 * x);
    });
    for (int k = 0; k < steps; k++) {
        const double dt = solver.stable_step();
        solver.step(dt);
        if (k % 5 == 4) {
            const auto [energy, enstrophy] = solver.totals();
            std::printf("step %d, time %.9f, step size %.6e, energy %.12g, enstrophy %.12g\n", k + 1, solver.time(), dt, energy, enstrophy);
        }
    }
    const flow::Field field = solver.in_space();
    double least = 0, most = 0;
    for (long y = 0; y < n; y++)
        for (long x = 0; x < n; x++) {
            least = std::min(least, field(y, x).real());
            most = std::max(most, field(y, x).real());
        }
    std::printf("vorticity from %.9f to %.9f, fingerprint %016llx\n", least, most, static_cast<unsigned long long>(fingerprint(field)));
    for (long y = 0; y < n; y += n / 8) {
        for (long x = 0; x < n; x += n / 32)
            std::putchar(" .:-=+*#%@"[std::min(9, static_cast<int>(10 * std::abs(field(y, x).real()) / (most - least)))]);
        std::putchar('\n');
    }
}

} // namespace

int main(int argc, char **argv)
{
    const long n = argc > 1 ? std::atol(argv[1]) : 64;
    const int steps = argc > 2 ? std::atoi(argv[2]) : 20;
    try {
        bool fine = check_transform(32) && check_transform(64);
        fine = check_decay(32) && fine;
        fine = check_conservation(32) && fine;
        run_shear_layers(n, steps);
        return fine ? 0 : 1;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
        return 2;
    }
}
