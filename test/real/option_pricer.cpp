/* Prices options by simulation, and checks the prices against what is known in closed form.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random numbers come from a counter (Philox 4x32-10), so path p is the same path wherever it is drawn, and for every bump of a
 * parameter. Blocks of paths are what tasks have; each block leaves its own sums, which main adds up in order: the digits are the
 * same on any number of ranks. A model and a payoff are small structs by value; instruments, portfolio and report are ordinary
 * classes with virtual functions, which never leave main.
 *
 * std: gnu++17
 */
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace rng {

using Counter = std::array<std::uint32_t, 4>;

/* Ten rounds of Philox: four words that depend on a counter and a key, and look like nothing else. */
constexpr Counter philox(Counter counter, std::uint32_t key0, std::uint32_t key1)
{
    for (int round = 0; round < 10; round++) {
        const std::uint64_t a = 0xD2511F53ull * counter[0], b = 0xCD9E8D57ull * counter[2];
        counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key0, static_cast<std::uint32_t>(b),
                   static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key1, static_cast<std::uint32_t>(a)};
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return counter;
}

/* In (0, 1), never at its ends. */
constexpr double uniform(std::uint32_t high, std::uint32_t low)
{
    const std::uint64_t bits = (static_cast<std::uint64_t>(high) << 20) ^ low;
    return (static_cast<double>(bits & 0xfffffffffffffull) + 0.5) / 4503599627370496.0;
}

/* The inverse of the normal distribution, by Acklam's rational approximations; relative error 1.2e-9. */
inline double inverse_normal(double p)
{
    constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02, -2.759285104469687e+02, 1.383577518672690e+02, -3.066479806614716e+01, 2.506628277459239e+00};
    constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01, -1.328068155288572e+01};
    constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00, -2.549732539343734e+00, 4.374664141464968e+00, 2.938163982698783e+00};
    constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
    const auto tail = [&](double q) {
        return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) / ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
    };
    if (p < 0.02425)
        return tail(std::sqrt(-2 * std::log(p)));
    if (p > 1 - 0.02425)
        return -tail(std::sqrt(-2 * std::log(1 - p)));
    const double q = p - 0.5, r = q * q;
    return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q / (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

/* The two normal numbers of a step of a path. */
inline std::pair<double, double> normals(std::uint64_t path, std::uint32_t step, std::uint32_t seed)
{
    const Counter words = philox({static_cast<std::uint32_t>(path), static_cast<std::uint32_t>(path >> 32), step, 0}, seed, 0x5eedu);
    return {inverse_normal(uniform(words[0], words[1])), inverse_normal(uniform(words[2], words[3]))};
}

} // namespace rng

namespace model {

/* What a path is at one time. */
struct State {
    double spot, variance;
};

/* Geometric Brownian motion; its steps are exact. */
struct BlackScholes {
    double spot = 100, rate = 0.03, volatility = 0.2;

    State start() const { return {spot, volatility * volatility}; }
    void step(State &state, double dt, double z, double) const
    {
        state.spot *= std::exp((rate - volatility * volatility / 2) * dt + volatility * std::sqrt(dt) * z);
    }
};

/* Stochastic variance, by full truncation. */
struct Heston {
    double spot = 100, rate = 0.03, variance = 0.04, reversion = 1.5, level = 0.04, of_variance = 0.3, correlation = -0.7;

    State start() const { return {spot, variance}; }
    void step(State &state, double dt, double z1, double z2) const
    {
        const double v = state.variance > 0 ? state.variance : 0, root = std::sqrt(v * dt);
        const double z = correlation * z1 + std::sqrt(1 - correlation * correlation) * z2;
        state.spot *= std::exp((rate - v / 2) * dt + root * z1);
        state.variance += reversion * (level - v) * dt + of_variance * root * z;
    }
};

} // namespace model

namespace payoff {

enum class Right : signed char { call = 1, put = -1 };

struct European {
    Right right;
    double strike;

    struct Memory {};
    void watch(Memory &, double, bool) const {}
    double pay(const Memory &, double spot) const { return std::max(0.0, static_cast<double>(right) * (spot - strike)); }
};

struct Asian {
    Right right;
    double strike;

    struct Memory {
        double sum = 0;
        int count = 0;
    };
    void watch(Memory &memory, double spot, bool first) const
    {
        if (!first)
            memory.sum += spot, memory.count++;
    }
    double pay(const Memory &memory, double) const { return std::max(0.0, static_cast<double>(right) * (memory.sum / memory.count - strike)); }
};

/* Down-and-out: worth nothing once the barrier has been seen. */
struct Barrier {
    Right right;
    double strike, barrier;

    struct Memory {
        bool out = false;
    };
    void watch(Memory &memory, double spot, bool) const { memory.out = memory.out || spot <= barrier; }
    double pay(const Memory &memory, double spot) const { return memory.out ? 0 : std::max(0.0, static_cast<double>(right) * (spot - strike)); }
};

struct Lookback {
    struct Memory {
        double least = 1e300;
    };
    void watch(Memory &memory, double spot, bool) const { memory.least = std::min(memory.least, spot); }
    double pay(const Memory &memory, double spot) const { return spot - memory.least; }
};

} // namespace payoff

/* What a simulation is run with. */
struct Plan {
    std::uint32_t seed = 1, steps = 16;
    long paths_per_block = 96, blocks = 64;
    double maturity = 1;
};

/* Of one block of paths. */
struct BlockSums {
    double sum = 0, squares = 0, delta = 0;
};

/* Each block simulates its paths and their mirror images. The spot is bumped on the same random numbers for the delta. */
#pragma streamap resource *:C split(b) out(sums[b]) cost(plan.paths_per_block * plan.steps * 100)
template <class Model, class Payoff>
void simulate(const Plan &plan, const Model &model, const Model &bumped, double bump, const Payoff &payoff, long blocks, BlockSums *sums)
{
    const double dt = plan.maturity / plan.steps;
    for (long b = 0; b < blocks; b++) {
        BlockSums total;
        for (long p = b * plan.paths_per_block; p < (b + 1) * plan.paths_per_block; p++) {
            double pays[2] = {0, 0};
            for (int mirror = 1; mirror >= -1; mirror -= 2) {
                const Model *models[2] = {&model, &bumped};
                for (int which = 0; which < 2; which++) {
                    model::State state = models[which]->start();
                    typename Payoff::Memory memory{};
                    payoff.watch(memory, state.spot, true);
                    for (std::uint32_t s = 0; s < plan.steps; s++) {
                        const auto [z1, z2] = rng::normals(static_cast<std::uint64_t>(p), s, plan.seed);
                        models[which]->step(state, dt, mirror * z1, mirror * z2);
                        payoff.watch(memory, state.spot, false);
                    }
                    pays[which] += payoff.pay(memory, state.spot) / 2;
                }
            }
            total.sum += pays[0];
            total.squares += pays[0] * pays[0];
            total.delta += (pays[1] - pays[0]) / bump;
        }
        sums[b] = total;
    }
}

/* How the simulated spots are spread at maturity: a histogram, exact, as its counts are whole numbers. */
#pragma streamap resource 4:C split(p) reduction(+: bins[0:count], below) reduction(max: highest)
template <class Model>
void spread(const Plan &plan, const Model &model, long paths, double width, int count, long *bins, long &below, double &highest)
{
    const double dt = plan.maturity / plan.steps;
    for (long p = 0; p < paths; p++) {
        model::State state = model.start();
        for (std::uint32_t s = 0; s < plan.steps; s++) {
            const auto [z1, z2] = rng::normals(static_cast<std::uint64_t>(p), s, plan.seed);
            model.step(state, dt, z1, z2);
        }
        const int bin = static_cast<int>(state.spot / width);
        bins[bin < count ? bin : count - 1] += 1;
        if (state.spot < model.spot)
            below += 1;
        if (state.spot > highest)
            highest = state.spot;
    }
}

struct Estimate {
    double price = 0, error = 0, delta = 0;
};

/* A simulation that has been launched; its sums lie here until they are asked for. */
class Simulation {
public:
    template <class Model, class Payoff>
    Simulation(const Plan &plan, const Model &model, const Payoff &payoff) : plan_(plan), rate_(model.rate), sums_(static_cast<std::size_t>(plan.blocks))
    {
        Model bumped = model;
        const double bump = 1e-3 * model.spot;
        bumped.spot += bump;
        simulate(plan_, model, bumped, bump, payoff, plan_.blocks, sums_.data());
    }
    Simulation(const Simulation &) = delete;
    Simulation &operator=(const Simulation &) = delete;
    ~Simulation() { finish(); }

    Estimate estimate()
    {
        finish();
        const double n = static_cast<double>(plan_.blocks * plan_.paths_per_block), discount = std::exp(-rate_ * plan_.maturity);
        const BlockSums all = std::accumulate(sums_.begin(), sums_.end(), BlockSums{}, [](BlockSums a, const BlockSums &b) {
            return BlockSums{a.sum + b.sum, a.squares + b.squares, a.delta + b.delta};
        });
        const double mean = all.sum / n, variance = std::max(0.0, all.squares / n - mean * mean);
        return {discount * mean, discount * std::sqrt(variance / n), discount * all.delta / n};
    }

private:
    void finish()
    {
        const BlockSums *sums = sums_.data();
        const auto blocks = plan_.blocks;
        #pragma streamap wait on(sums[0:blocks])
        static_cast<void>(sums), static_cast<void>(blocks);
    }

    Plan plan_;
    double rate_;
    std::vector<BlockSums> sums_;
};

namespace closed_form {

double normal(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

Estimate european(const model::BlackScholes &m, const payoff::European &p, double maturity)
{
    const double deviation = m.volatility * std::sqrt(maturity), sign = static_cast<double>(p.right);
    const double d1 = (std::log(m.spot / p.strike) + (m.rate + m.volatility * m.volatility / 2) * maturity) / deviation, d2 = d1 - deviation;
    const double price = sign * (m.spot * normal(sign * d1) - p.strike * std::exp(-m.rate * maturity) * normal(sign * d2));
    return {price, 0, sign * normal(sign * d1)};
}

/* The volatility at which the formula gives a price; bisection. */
std::optional<double> implied_volatility(model::BlackScholes m, const payoff::European &p, double maturity, double price)
{
    double low = 1e-4, high = 4;
    const auto at = [&](double volatility) {
        m.volatility = volatility;
        return european(m, p, maturity).price;
    };
    if (price < at(low) || price > at(high))
        return std::nullopt;
    for (int k = 0; k < 80; k++) {
        const double middle = (low + high) / 2;
        (at(middle) < price ? low : high) = middle;
    }
    return (low + high) / 2;
}

} // namespace closed_form

using AnyModel = std::variant<model::BlackScholes, model::Heston>;

class Instrument {
public:
    explicit Instrument(std::string name) : name_(std::move(name)) {}
    virtual ~Instrument() = default;
    const std::string &name() const { return name_; }
    virtual std::unique_ptr<Simulation> simulate(const Plan &plan, const AnyModel &model) const = 0;
    virtual std::optional<Estimate> known(const AnyModel &, double) const { return std::nullopt; }

private:
    std::string name_;
};

template <class Payoff>
class Option : public Instrument {
public:
    Option(std::string name, Payoff payoff) : Instrument(std::move(name)), payoff_(payoff) {}

    std::unique_ptr<Simulation> simulate(const Plan &plan, const AnyModel &model) const override
    {
        return std::visit([&](const auto &m) { return std::make_unique<Simulation>(plan, m, payoff_); }, model);
    }

    std::optional<Estimate> known(const AnyModel &model, double maturity) const override
    {
        if constexpr (std::is_same_v<Payoff, payoff::European>)
            if (const auto *m = std::get_if<model::BlackScholes>(&model))
                return closed_form::european(*m, payoff_, maturity);
        return std::nullopt;
    }

private:
    Payoff payoff_;
};

class Portfolio {
public:
    template <class Payoff>
    void add(std::string name, double amount, Payoff payoff)
    {
        positions_.push_back({std::make_unique<Option<Payoff>>(std::move(name), payoff), amount});
    }

    /* All positions are under way before the first is looked at. Returns how many known prices were missed. */
    int value(const std::string &title, const Plan &plan, const AnyModel &model, std::ostream &out) const
    {
        std::vector<std::pair<const Position *, std::unique_ptr<Simulation>>> running;
        for (const Position &position : positions_)
            running.emplace_back(&position, position.instrument->simulate(plan, model));

        int missed = 0;
        double sum = 0, delta = 0;
        out << title << '\n' << std::fixed;
        for (auto &[position, simulation] : running) {
            const Estimate estimate = simulation->estimate();
            sum += position->amount * estimate.price;
            delta += position->amount * estimate.delta;
            out << "  " << std::left << std::setw(22) << position->instrument->name() << std::right << std::setprecision(10) << std::setw(16)
                << estimate.price << " +- " << estimate.error << "  delta " << estimate.delta;
            if (const auto known = position->instrument->known(model, plan.maturity)) {
                const bool near = std::abs(known->price - estimate.price) < 4 * estimate.error && std::abs(known->delta - estimate.delta) < 0.02;
                missed += !near;
                out << "  known " << known->price << ", " << known->delta << (near ? "" : " MISSED");
            }
            out << '\n';
        }
        out << "  together " << sum << ", delta " << delta << '\n';
        return missed;
    }

private:
    struct Position {
        std::unique_ptr<Instrument> instrument;
        double amount;
    };
    std::vector<Position> positions_;
};

/* Implied volatilities of Heston's prices over strikes: what traders call the smile. */
static void print_smile(const Plan &plan, const model::Heston &heston, std::ostream &out)
{
    std::map<double, std::unique_ptr<Simulation>> by_strike;
    for (double strike : {80.0, 90.0, 100.0, 110.0, 120.0})
        by_strike[strike] = std::make_unique<Simulation>(plan, heston, payoff::European{payoff::Right::call, strike});
    out << "smile:";
    model::BlackScholes plain;
    plain.rate = heston.rate;
    for (auto &[strike, simulation] : by_strike) {
        const auto volatility = closed_form::implied_volatility(plain, {payoff::Right::call, strike}, plan.maturity, simulation->estimate().price);
        out << ' ' << std::setprecision(0) << strike << ": " << std::setprecision(8);
        if (volatility)
            out << *volatility;
        else
            out << "none";
    }
    out << '\n';
}

/* How the error falls with the number of paths: by the square root, as it should. */
static int print_convergence(Plan plan, const model::BlackScholes &model, std::ostream &out)
{
    const payoff::European option{payoff::Right::put, 105};
    const double known = closed_form::european(model, option, plan.maturity).price;
    std::vector<std::pair<long, std::unique_ptr<Simulation>>> running;
    for (long divisor = 16; divisor >= 1; divisor /= 4) {
        Plan smaller = plan;
        smaller.paths_per_block = std::max(1L, plan.paths_per_block / divisor);
        running.emplace_back(smaller.paths_per_block * smaller.blocks, std::make_unique<Simulation>(smaller, model, option));
    }
    int missed = 0;
    out << "convergence:";
    for (auto &[paths, simulation] : running) {
        const Estimate estimate = simulation->estimate();
        const double scaled = estimate.error * std::sqrt(static_cast<double>(paths));
        missed += std::abs(estimate.price - known) > 4 * estimate.error;
        out << "  " << paths << " paths: off by " << estimate.price - known << ", error * sqrt(n) " << scaled;
    }
    out << '\n';
    return missed;
}

/* Call - put = spot - discounted strike, path by path: the mirror images make it hold much closer than either price. */
static int print_parity(const Plan &plan, const model::Heston &model, std::ostream &out)
{
    const double strike = 97;
    Simulation call(plan, model, payoff::European{payoff::Right::call, strike}), put(plan, model, payoff::European{payoff::Right::put, strike});
    const Estimate c = call.estimate(), p = put.estimate();
    const double gap = c.price - p.price - (model.spot - strike * std::exp(-model.rate * plan.maturity));
    out << "parity: call " << c.price << ", put " << p.price << ", gap " << gap << '\n';
    return std::abs(gap) > c.error + p.error;
}

template <class Model>
static void print_spread(const char *name, const Plan &plan, const Model &model)
{
    std::array<long, 24> bins{};
    long below = 0;
    double highest = 0;
    const long paths = plan.blocks * plan.paths_per_block;
    spread(plan, model, paths, 12.5, static_cast<int>(bins.size()), bins.data(), below, highest);
    #pragma streamap wait
    std::printf("%s: %ld of %ld below the start, highest %.10f |", name, below, paths, highest);
    for (long count : bins)
        std::printf(" %ld", count);
    std::printf("\n");
}

static Plan read_plan(int argc, char **argv)
{
    Plan plan;
    const std::map<std::string, std::function<void(const std::string &)>> options{
        {"--blocks", [&](const std::string &value) { plan.blocks = std::stol(value); }},
        {"--paths", [&](const std::string &value) { plan.paths_per_block = std::stol(value); }},
        {"--steps", [&](const std::string &value) { plan.steps = static_cast<std::uint32_t>(std::stoul(value)); }},
        {"--seed", [&](const std::string &value) { plan.seed = static_cast<std::uint32_t>(std::stoul(value)); }},
    };
    for (int k = 1; k < argc; k += 2) {
        const auto option = options.find(argv[k]);
        if (option == options.end() || k + 1 == argc)
            throw std::invalid_argument(std::string("unknown option or no value: ") + argv[k]);
        option->second(argv[k + 1]);
    }
    if (plan.blocks <= 0 || plan.paths_per_block <= 0 || plan.steps == 0)
        throw std::invalid_argument("blocks, paths and steps are positive");
    return plan;
}

int main(int argc, char **argv)
{
    using payoff::Right;
    static_assert(rng::philox({0, 0, 0, 0}, 0, 0)[0] == 0x6627e8d5u && rng::philox({0, 0, 0, 0}, 0, 0)[3] == 0x9b00dbd8u, "Philox as published");
    try {
        const Plan plan = read_plan(argc, argv);
        Portfolio portfolio;
        portfolio.add("call at 100", 10, payoff::European{Right::call, 100});
        portfolio.add("put at 95", -5, payoff::European{Right::put, 95});
        portfolio.add("Asian call at 100", 4, payoff::Asian{Right::call, 100});
        portfolio.add("down-and-out call", 8, payoff::Barrier{Right::call, 100, 85});
        portfolio.add("lookback", 1, payoff::Lookback{});

        std::ostringstream out;
        int missed = portfolio.value("Black-Scholes", plan, model::BlackScholes{}, out);
        missed += portfolio.value("Heston", plan, model::Heston{}, out);
        print_smile(plan, model::Heston{}, out);
        missed += print_convergence(plan, model::BlackScholes{}, out);
        missed += print_parity(plan, model::Heston{}, out);
        std::cout << out.str();
        print_spread("Black-Scholes", plan, model::BlackScholes{});
        print_spread("Heston", plan, model::Heston{});
        return missed;
    } catch (const std::exception &error) {
        std::cerr << argv[0] << ": " << error.what() << '\n';
        return 2;
    }
}
