// Two clusters of stars fall through each other.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every star pulls every other; a leapfrog scheme kicks velocities by half a step, moves the stars, and kicks again. Each task has a
// part of the stars and reads all of them.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numbers>
#include <span>
#include <vector>
#include <unistd.h>

template <typename Real>
using Vector = std::array<Real, 3>;

// What others see of a star; its velocity is its own business.
template <typename Real>
struct Star {
    Vector<Real> place;
    Real mass;
};

template <typename Real>
struct Step {
    Real time;      // of a step
    Real softening; // squared: stars closer than its root do not pull harder
};

template <typename Real>
struct Energy {
    Real kinetic, potential;
};

// velocity += time * the pull of all stars. Half steps at the ends, whole ones between.
#pragma streamap resource *:C split(i) in(stars) inout(velocities[i])
template <typename Real>
void attract(const Step<Real> &step, Real time, std::span<const Star<Real>> stars, std::span<Vector<Real>> velocities)
{
    for (std::size_t i = 0; i < velocities.size(); i++) {
        Vector<Real> pull{};
        for (const Star<Real> &other : stars) {
            const Real dx = other.place[0] - stars[i].place[0], dy = other.place[1] - stars[i].place[1], dz = other.place[2] - stars[i].place[2];
            const Real squared = dx * dx + dy * dy + dz * dz + step.softening;
            const Real weight = other.mass / (squared * std::sqrt(squared));
            pull[0] += weight * dx;
            pull[1] += weight * dy;
            pull[2] += weight * dz;
        }
        for (std::size_t axis = 0; axis < 3; axis++)
            velocities[i][axis] += time * pull[axis];
    }
}

#pragma streamap resource *:C split(i) in(velocities[i]) inout(stars[i])
template <typename Real>
void drift(Real time, std::span<const Vector<Real>> velocities, std::span<Star<Real>> stars)
{
    for (std::size_t i = 0; i < stars.size(); i++)
        for (std::size_t axis = 0; axis < 3; axis++)
            stars[i].place[axis] += time * velocities[i][axis];
}

// Each star's share of the energy; half of the potential of each pair.
#pragma streamap resource *:C split(i) in(stars, velocities[i]) out(energies[i])
template <typename Real>
void measure(const Step<Real> &step, std::span<const Star<Real>> stars, std::span<const Vector<Real>> velocities, Energy<Real> *energies)
{
    for (std::size_t i = 0; i < velocities.size(); i++) {
        const auto &[vx, vy, vz] = velocities[i];
        Energy<Real> energy{stars[i].mass * (vx * vx + vy * vy + vz * vz) / 2, 0};
        for (std::size_t k = 0; k < stars.size(); k++)
            if (k != i) {
                Real squared = step.softening;
                for (std::size_t axis = 0; axis < 3; axis++)
                    squared += (stars[k].place[axis] - stars[i].place[axis]) * (stars[k].place[axis] - stars[i].place[axis]);
                energy.potential -= stars[i].mass * stars[k].mass / std::sqrt(squared) / 2;
            }
        energies[i] = energy;
    }
}

// A stream of numbers in [0, 1) that depends on its seed alone.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state(seed) {}
    double operator()()
    {
        state += 0x9e3779b97f4a7c15u;
        std::uint64_t z = state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return double((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
    }

private:
    std::uint64_t state;
};

template <typename Real>
class Sky {
public:
    // Two Plummer spheres of half of the stars each, side by side, with velocities towards each other.
    explicit Sky(std::size_t n) : stars(n), velocities(n)
    {
        Dice dice(n);
        for (std::size_t i = 0; i < n; i++) {
            const double side = i < n / 2 ? -1 : 1;
            const double radius = 1 / std::sqrt(std::pow(0.05 + 0.9 * dice(), -2.0 / 3) - 1);
            const Vector<double> place = direction(dice), way = direction(dice);
            const double speed = 0.5 * std::pow(1 + radius * radius, -0.25) * std::sqrt(dice());
            for (std::size_t axis = 0; axis < 3; axis++) {
                stars[i].place[axis] = Real(radius * place[axis] + (axis == 0 ? 3 * side : axis == 1 ? side : 0));
                velocities[i][axis] = Real(speed * way[axis] - (axis == 0 ? 0.3 * side : 0));
            }
            stars[i].mass = Real(1) / Real(n);
        }
        removeMomentum();
    }

    // A step. Nothing in it waits.
    void advance(const Step<Real> &step)
    {
        attract<Real>(step, step.time / 2, stars, velocities);
        drift<Real>(step.time, velocities, stars);
        attract<Real>(step, step.time / 2, stars, velocities);
    }

    Energy<Real> energy(const Step<Real> &step) const
    {
        std::vector<Energy<Real>> energies(stars.size());
        measure<Real>(step, stars, velocities, energies.data());
        #pragma streamap wait on(energies)
        Energy<Real> sum{};
        for (const auto &[kinetic, potential] : energies) {
            sum.kinetic += kinetic;
            sum.potential += potential;
        }
        return sum;
    }

    void comeHome() const
    {
        #pragma streamap wait
    }

    // The largest component of the sum of all momenta; 0 but for rounding.
    double momentum() const
    {
        double largest = 0;
        for (std::size_t axis = 0; axis < 3; axis++)
            largest = std::fmax(largest, std::fabs(momentumAlong(axis)));
        return largest;
    }

    // Tells two skies that differ in a single bit apart.
    std::uint64_t fingerprint() const
    {
        std::uint64_t hash = 14695981039346656037u;
        const auto add = [&hash](const auto &values) {
            std::vector<unsigned char> bytes(values.size() * sizeof values[0]);
            std::memcpy(bytes.data(), values.data(), bytes.size());
            for (unsigned char byte : bytes)
                hash = (hash ^ byte) * 1099511628211u;
        };
        add(stars);
        add(velocities);
        return hash;
    }

private:
    static Vector<double> direction(Dice &dice)
    {
        const double z = 2 * dice() - 1, angle = 2 * std::numbers::pi * dice(), flat = std::sqrt(1 - z * z);
        return {flat * std::cos(angle), flat * std::sin(angle), z};
    }

    double momentumAlong(std::size_t axis) const
    {
        double sum = 0;
        for (std::size_t i = 0; i < stars.size(); i++)
            sum += double(stars[i].mass) * double(velocities[i][axis]);
        return sum;
    }

    void removeMomentum()
    {
        for (std::size_t axis = 0; axis < 3; axis++) {
            const Real mean = Real(momentumAlong(axis));
            for (Vector<Real> &velocity : velocities)
                velocity[axis] -= mean;
        }
    }

    std::vector<Star<Real>> stars;
    std::vector<Vector<Real>> velocities;
};

// Returns whether the answer is right.
template <typename Real>
static bool run(std::size_t n, int steps, int every)
{
    const Step<Real> step{Real(0.02), Real(0.01)};
    Sky<Real> sky(n);
    const Energy<Real> start = sky.energy(step);
    const double total = double(start.kinetic) + double(start.potential);
    double drifted = 0;
    for (int k = 1; k <= steps; k++) {
        sky.advance(step);
        if (k % every == 0 || k == steps) {
            const auto [kinetic, potential] = sky.energy(step);
            drifted = std::fmax(drifted, std::fabs((double(kinetic) + double(potential) - total) / total));
        }
    }
    sky.comeHome();
    const double rounding = sizeof(Real) == sizeof(float) ? 1e-5 : 1e-13;
    const bool isRight = drifted < 1e-3 && sky.momentum() < rounding;
    std::printf("nbody: %zu stars, %d steps, energy %.9g, drift %.3e, momentum %.1e, fingerprint %016llx, %s\n", n, steps, total, drifted,
                sky.momentum(), static_cast<unsigned long long>(sky.fingerprint()), isRight ? "right" : "WRONG");
    return isRight;
}

int main(int argc, char **argv)
{
    long n = 1024, steps = 40, every = 10;
    bool isFloat = false;
    for (int c; (c = getopt(argc, argv, "n:s:e:f")) != -1;)
        switch (c) {
        case 'n': n = std::strtol(optarg, nullptr, 10); break;
        case 's': steps = std::strtol(optarg, nullptr, 10); break;
        case 'e': every = std::strtol(optarg, nullptr, 10); break;
        case 'f': isFloat = true; break;
        default: n = 0;
        }
    if (n < 2 || steps < 0 || every < 1 || optind < argc) {
        std::fprintf(stderr, "usage: %s [-n stars] [-s steps] [-e steps between energies] [-f]\n", argv[0]);
        return 2;
    }
    const auto stars = static_cast<std::size_t>(n);
    const bool isRight = isFloat ? run<float>(stars, int(steps), int(every)) : run<double>(stars, int(steps), int(every));
    return isRight ? 0 : 1;
}
