/* Kernels on a large sparse graph: distances, ranks, components, triangles, cores and colours.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The graph is drawn by R-MAT (few vertices with many edges, many with few) and kept as compressed rows. Each kernel is a loop over
 * vertices that pulls from neighbours into an array of its own, so that tasks never write what another one touches; rounds follow one
 * another without coming home, and one number is looked at to see whether anything changed. Every result is checked by main with a
 * slower, simpler method.
 */
#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <limits>
#include <numeric>
#include <queue>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace graph {

using Vertex = std::uint32_t;
using Offset = std::uint64_t;

struct Edge {
    Vertex from, to;
    friend auto operator<=>(const Edge &, const Edge &) = default;
};

/* Undirected, without loops and repeats; neighbours in ascending order. */
class Graph {
public:
    Graph(Vertex vertices, std::vector<Edge> edges) : offsets_(static_cast<std::size_t>(vertices) + 1, 0)
    {
        const std::size_t given = edges.size();
        edges.reserve(2 * given);
        for (std::size_t k = 0; k < given; k++)
            edges.push_back({edges[k].to, edges[k].from});
        std::erase_if(edges, [](const Edge &e) { return e.from == e.to; });
        std::sort(edges.begin(), edges.end());
        edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
        neighbours_.reserve(edges.size());
        for (const auto &[from, to] : edges) {
            if (from >= vertices || to >= vertices)
                throw std::out_of_range("an edge to vertex " + std::to_string(std::max(from, to)) + " of " + std::to_string(vertices));
            offsets_[from + 1]++;
            neighbours_.push_back(to);
        }
        std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
    }

    Vertex size() const { return static_cast<Vertex>(offsets_.size() - 1); }
    std::size_t edges() const { return neighbours_.size() / 2; }
    std::span<const Offset> offsets() const { return offsets_; }
    std::span<const Vertex> neighbours() const { return neighbours_; }
    std::span<const Vertex> of(Vertex v) const { return neighbours().subspan(offsets_[v], offsets_[v + 1] - offsets_[v]); }
    Vertex degree(Vertex v) const { return static_cast<Vertex>(offsets_[v + 1] - offsets_[v]); }

private:
    std::vector<Offset> offsets_;
    std::vector<Vertex> neighbours_;
};

/* Recursive matrix: each edge falls into one of four quadrants, again and again. */
class Rmat {
public:
    Rmat(int scale, int edges_per_vertex, std::uint64_t seed) : scale_(scale), per_vertex_(edges_per_vertex), state_(seed) {}

    Graph draw()
    {
        const Vertex n = Vertex{1} << scale_;
        std::vector<Edge> edges;
        for (std::size_t k = 0; k < static_cast<std::size_t>(n) * static_cast<std::size_t>(per_vertex_); k++) {
            Edge edge{0, 0};
            for (int bit = 0; bit < scale_; bit++) {
                const double dice = next();
                edge.from = edge.from * 2 + (dice >= a + b);
                edge.to = edge.to * 2 + ((dice >= a && dice < a + b) || dice >= a + b + c);
            }
            edges.push_back({shuffle(edge.from), shuffle(edge.to)});
        }
        return Graph(n, std::move(edges));
    }

private:
    static constexpr double a = 0.57, b = 0.19, c = 0.19;

    double next()
    {
        state_ += 0x9e3779b97f4a7c15u;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return static_cast<double>((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
    }
    /* Odd factors permute the numbers below a power of two: vertices of many edges do not sit together. */
    Vertex shuffle(Vertex v) const { return (v * 2654435761u + 12345u) & ((Vertex{1} << scale_) - 1); }

    int scale_, per_vertex_;
    std::uint64_t state_;
};

} // namespace graph

using graph::Graph;
using graph::Offset;
using graph::Vertex;

/* The loops. n is the number of vertices, m that of entries in `neighbours`. */
namespace kernel {

inline constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

/* One level of a breadth-first search, pulled: who has no distance yet and a neighbour at `level` gets level + 1. */
#pragma streamap resource *:C split(v) in(offsets[v:2], neighbours[0:m], from[0:n]) out(to[v]) reduction(+: reached[0:1])
void search_level(Vertex n, [[maybe_unused]] std::size_t m, std::uint32_t level, const Offset *offsets, const Vertex *neighbours,
                  const std::uint32_t *from, std::uint32_t *to, std::uint64_t *reached)
{
    for (Vertex v = 0; v < n; v++) {
        std::uint32_t distance = from[v];
        if (distance == unreached)
            for (Offset e = offsets[v]; e < offsets[v + 1]; e++)
                if (from[neighbours[e]] == level) {
                    distance = level + 1;
                    reached[0] += 1;
                    break;
                }
        to[v] = distance;
    }
}

/* rank and share of each vertex: share = rank / degree is what neighbours pull. */
template <std::floating_point Real>
struct Ranked {
    Real rank, share;
};

#pragma streamap resource *:C split(v) in(offsets[v:2], neighbours, from[0:n]) out(to[v]) reduction(max: change)
template <std::floating_point Real>
void rank_round(Vertex n, Real damping, Real lost, const Offset *offsets, std::span<const Vertex> neighbours, const Ranked<Real> *from,
                Ranked<Real> *to, Real &change)
{
    for (Vertex v = 0; v < n; v++) {
        Real sum = 0;
        for (Offset e = offsets[v]; e < offsets[v + 1]; e++)
            sum += from[neighbours[e]].share;
        const auto degree = static_cast<Real>(offsets[v + 1] - offsets[v]);
        const Real rank = (1 - damping) / static_cast<Real>(n) + damping * (sum + lost / static_cast<Real>(n));
        const Real moved = rank > from[v].rank ? rank - from[v].rank : from[v].rank - rank;
        if (moved > change)
            change = moved;
        to[v] = {rank, degree > 0 ? rank / degree : 0};
    }
}

/* The rank of vertices without edges, in blocks: main adds the blocks up in order. */
#pragma streamap resource *:C split(block) in(offsets[block*Size:Size+1], ranks[block*Size:Size]) out(sums[block])
template <unsigned Size, std::floating_point Real>
void lost_rank(unsigned blocks, const Offset *offsets, const Ranked<Real> *ranks, Real *sums)
{
    for (unsigned block = 0; block < blocks; block++) {
        Real sum = 0;
        for (unsigned v = block * Size; v < (block + 1) * Size; v++)
            if (offsets[v] == offsets[v + 1])
                sum += ranks[v].rank;
        sums[block] = sum;
    }
}

/* The least label around; `changed` counts those that got a smaller one. */
#pragma streamap resource *:C split(v) in(offsets[v:2], neighbours[0:m], from[0:n]) out(to[v]) reduction(+: changed)
void spread_labels(Vertex n, [[maybe_unused]] std::size_t m, const Offset *offsets, const Vertex *neighbours, const Vertex *from, Vertex *to,
                   std::uint64_t &changed)
{
    for (Vertex v = 0; v < n; v++) {
        Vertex label = from[v];
        for (Offset e = offsets[v]; e < offsets[v + 1]; e++)
            label = std::min(label, from[neighbours[e]]);
        label = std::min(label, from[label]); /* and the label's own label: twice as fast each round */
        if (label != from[v])
            changed += 1;
        to[v] = label;
    }
}

/* Triangles u > v > w, counted at u by merging sorted rows. */
#pragma streamap resource *:C split(u) in(offsets, neighbours) out(at[u]) reduction(+: all) reduction(max: most)
void count_triangles(Vertex n, std::span<const Offset> offsets, std::span<const Vertex> neighbours, std::uint32_t *at, std::uint64_t &all,
                     std::uint32_t &most)
{
    for (Vertex u = 0; u < n; u++) {
        std::uint32_t count = 0;
        const auto row = [&](Vertex v) { return neighbours.subspan(offsets[v], offsets[v + 1] - offsets[v]); };
        const std::span<const Vertex> mine = row(u);
        for (Vertex v : mine) {
            if (v >= u)
                break;
            const std::span<const Vertex> theirs = row(v);
            auto a = mine.begin(), b = theirs.begin();
            while (a != mine.end() && b != theirs.end() && *a < v && *b < v)
                if (*a == *b)
                    count++, a++, b++;
                else
                    *a < *b ? ++a : ++b;
        }
        at[u] = count;
        all += count;
        if (count > most)
            most = count;
    }
}

/* Jones-Plassmann: a vertex whose weight is the largest among the uncoloured around takes the least free colour. */
#pragma streamap resource *:C split(v) in(offsets[v:2], neighbours[0:m], from[0:n]) out(to[v]) reduction(+: left)
void colour_round(Vertex n, [[maybe_unused]] std::size_t m, const Offset *offsets, const Vertex *neighbours, const std::int16_t *from, std::int16_t *to,
                  std::uint64_t &left)
{
    const auto weight = [](Vertex v) { return std::pair((v * 2246822519u) ^ (v >> 7), v); };
    for (Vertex v = 0; v < n; v++) {
        std::int16_t colour = from[v];
        if (colour < 0) {
            bool first = true;
            std::vector<bool> taken(static_cast<std::size_t>(offsets[v + 1] - offsets[v]) + 1, false);
            for (Offset e = offsets[v]; e < offsets[v + 1]; e++) {
                const std::int16_t other = from[neighbours[e]];
                first = first && (other >= 0 || weight(neighbours[e]) < weight(v));
                if (other >= 0 && static_cast<std::size_t>(other) < taken.size())
                    taken[static_cast<std::size_t>(other)] = true;
            }
            if (first)
                colour = static_cast<std::int16_t>(std::find(taken.begin(), taken.end(), false) - taken.begin());
            else
                left += 1;
        }
        to[v] = colour;
    }
}

/* How many vertices have a degree of 2^k to 2^(k+1) - 1. */
#pragma streamap resource 4:C split(v) in(offsets[v:2]) reduction(+: bins[0:32]) reduction(max: highest)
void degrees(Vertex n, const Offset *offsets, std::uint64_t bins[32], Offset &highest)
{
    for (Vertex v = 0; v < n; v++) {
        const Offset degree = offsets[v + 1] - offsets[v];
        if (degree > highest)
            highest = degree;
        int bin = 0;
        for (Offset d = degree; d > 1; d /= 2)
            bin++;
        bins[bin] += 1;
    }
}

} // namespace kernel

/* Two arrays of which rounds read one and write the other. */
template <typename T>
class Pair {
public:
    explicit Pair(std::size_t n, T value = {}) : now_(n, value), next_(n, value) {}
    ~Pair()
    {
        #pragma streamap wait
    }
    Pair(const Pair &) = delete;
    Pair &operator=(const Pair &) = delete;

    T *now() { return now_.data(); }
    T *next() { return next_.data(); }
    void turn() { now_.swap(next_); }
    std::vector<T> take()
    {
        #pragma streamap wait
        return now_;
    }

private:
    std::vector<T> now_, next_;
};

class Analysis {
public:
    explicit Analysis(const Graph &graph) : graph_(graph), n_(graph.size()), m_(graph.neighbours().size()) {}

    std::vector<std::uint32_t> distances(Vertex source) const
    {
        Pair<std::uint32_t> levels(n_, kernel::unreached);
        levels.now()[source] = 0;
        std::uint64_t reached = 0, before = 1;
        for (std::uint32_t level = 0; reached != before; level++) {
            before = reached;
            kernel::search_level(n_, m_, level, graph_.offsets().data(), graph_.neighbours().data(), levels.now(), levels.next(), &reached);
            levels.turn();
            #pragma streamap wait on(reached)
        }
        return levels.take();
    }

    template <std::floating_point Real>
    std::pair<std::vector<Real>, int> ranks(Real tolerance) const
    {
        using kernel::Ranked;
        constexpr unsigned block = 256;
        if (n_ % block != 0)
            throw std::invalid_argument("the number of vertices is no multiple of " + std::to_string(block));
        Pair<Ranked<Real>> table(n_);
        for (Vertex v = 0; v < n_; v++)
            table.now()[v] = {Real(1) / static_cast<Real>(n_), graph_.degree(v) ? Real(1) / static_cast<Real>(n_) / static_cast<Real>(graph_.degree(v)) : 0};
        int rounds = 0;
        for (Real change = 1; change > tolerance && rounds < 100; rounds++) {
            std::vector<Real> sums(n_ / block);
            const Real *lost_in = sums.data();
            const std::size_t blocks = sums.size();
            kernel::lost_rank<block>(n_ / block, graph_.offsets().data(), table.now(), sums.data());
            #pragma streamap wait on(lost_in[0:blocks])
            const Real lost = std::accumulate(lost_in, lost_in + blocks, Real(0));
            change = 0;
            kernel::rank_round<Real>(n_, Real(0.85), lost, graph_.offsets().data(), graph_.neighbours(), table.now(), table.next(), change);
            table.turn();
            #pragma streamap wait on(change)
        }
        std::vector<Real> result;
        for (const auto &[rank, share] : table.take())
            result.push_back(rank);
        return {result, rounds};
    }

    std::vector<Vertex> components() const
    {
        Pair<Vertex> labels(n_);
        std::iota(labels.now(), labels.now() + n_, Vertex{0});
        for (std::uint64_t changed = 1; changed != 0;) {
            changed = 0;
            for (int k = 0; k < 2; k++) { /* two rounds for each look */
                kernel::spread_labels(n_, m_, graph_.offsets().data(), graph_.neighbours().data(), labels.now(), labels.next(), changed);
                labels.turn();
            }
            #pragma streamap wait on(changed)
        }
        return labels.take();
    }

    std::tuple<std::uint64_t, std::uint32_t, std::vector<std::uint32_t>> triangles() const
    {
        std::vector<std::uint32_t> at(n_);
        std::uint64_t all = 0;
        std::uint32_t most = 0;
        kernel::count_triangles(n_, graph_.offsets(), graph_.neighbours(), at.data(), all, most);
        #pragma streamap wait
        return {all, most, std::move(at)};
    }

    std::vector<std::int16_t> colours() const
    {
        Pair<std::int16_t> table(n_, -1);
        for (std::uint64_t left = 1; left > 0;) {
            left = 0;
            kernel::colour_round(n_, m_, graph_.offsets().data(), graph_.neighbours().data(), table.now(), table.next(), left);
            table.turn();
            #pragma streamap wait on(left)
        }
        return table.take();
    }

    /* By taking vertices away from the least degree upwards; serial, as each step needs the one before. */
    std::vector<Vertex> cores() const
    {
        std::vector<Vertex> degree(n_), core(n_, 0);
        std::set<std::pair<Vertex, Vertex>> by_degree;
        for (Vertex v = 0; v < n_; v++)
            by_degree.emplace(degree[v] = graph_.degree(v), v);
        Vertex level = 0;
        while (!by_degree.empty()) {
            const auto [d, v] = *by_degree.begin();
            by_degree.erase(by_degree.begin());
            level = std::max(level, d);
            core[v] = level;
            for (Vertex w : graph_.of(v))
                if (by_degree.erase({degree[w], w}))
                    by_degree.emplace(--degree[w], w);
        }
        return core;
    }

private:
    const Graph &graph_;
    Vertex n_;
    std::size_t m_;
};

/* The same by other means. */
namespace simple {

std::vector<std::uint32_t> distances(const Graph &graph, Vertex source)
{
    std::vector<std::uint32_t> result(graph.size(), kernel::unreached);
    std::queue<Vertex> open;
    open.push(source);
    for (result[source] = 0; !open.empty(); open.pop())
        for (Vertex w : graph.of(open.front()))
            if (result[w] == kernel::unreached) {
                result[w] = result[open.front()] + 1;
                open.push(w);
            }
    return result;
}

std::size_t components(const Graph &graph)
{
    std::vector<bool> seen(graph.size());
    std::size_t count = 0;
    for (Vertex v = 0; v < graph.size(); v++) {
        if (seen[v])
            continue;
        count++;
        std::deque<Vertex> open{v};
        seen[v] = true;
        while (!open.empty()) {
            const Vertex u = open.back();
            open.pop_back();
            for (Vertex w : graph.of(u))
                if (!seen[w]) {
                    seen[w] = true;
                    open.push_back(w);
                }
        }
    }
    return count;
}

std::uint64_t triangles(const Graph &graph)
{
    std::uint64_t count = 0;
    for (Vertex u = 0; u < graph.size(); u++)
        for (Vertex v : graph.of(u))
            for (Vertex w : graph.of(v))
                count += w < v && v < u && std::ranges::binary_search(graph.of(u), w);
    return count;
}

} // namespace simple

template <typename T>
static std::uint64_t fingerprint(std::span<const T> values)
{
    std::uint64_t hash = 14695981039346656037u;
    for (const std::byte byte : std::as_bytes(values))
        hash = (hash ^ static_cast<std::uint64_t>(byte)) * 1099511628211u;
    return hash;
}

class Checker {
public:
    void operator()(std::string_view what, bool fine)
    {
        if (!fine)
            std::printf("WRONG: %.*s\n", static_cast<int>(what.size()), what.data());
        wrong_ += !fine;
    }
    int wrong() const { return wrong_; }

private:
    int wrong_ = 0;
};

int main(int argc, char **argv)
{
    const int scale = argc > 1 ? std::atoi(argv[1]) : 12;
    const Graph graph = graph::Rmat(scale, 8, 42).draw();
    const Analysis analysis(graph);
    Checker check;

    std::uint64_t bins[32] = {};
    Offset highest = 0;
    kernel::degrees(graph.size(), graph.offsets().data(), bins, highest);
    #pragma streamap wait
    std::printf("%u vertices, %zu edges, highest degree %llu, degrees:", graph.size(), graph.edges(), static_cast<unsigned long long>(highest));
    for (int k = 0; k < 32 && (bins[k] || (1u << k) <= highest); k++)
        std::printf(" %llu", static_cast<unsigned long long>(bins[k]));
    std::printf("\n");

    for (Vertex source : {Vertex{0}, graph.size() / 3}) {
        const auto distances = analysis.distances(source);
        const auto reached = std::ranges::count_if(distances, [](std::uint32_t d) { return d != kernel::unreached; });
        std::printf("from %u: %td vertices reached, fingerprint %016llx\n", source, static_cast<std::ptrdiff_t>(reached),
                    static_cast<unsigned long long>(fingerprint<std::uint32_t>(distances)));
        check("distances", distances == simple::distances(graph, source));
    }

    const auto [ranks, rounds] = analysis.ranks<double>(1e-10);
    const auto [coarse, fewer] = analysis.ranks<float>(1e-6f);
    const auto top = std::ranges::max_element(ranks);
    std::printf("rank: %d rounds, top %td with %.12f, sum %.12f, fingerprint %016llx; in float %d rounds, fingerprint %016llx\n", rounds,
                static_cast<std::ptrdiff_t>(top - ranks.begin()), *top, std::accumulate(ranks.begin(), ranks.end(), 0.0),
                static_cast<unsigned long long>(fingerprint<double>(ranks)), fewer, static_cast<unsigned long long>(fingerprint<float>(coarse)));
    check("ranks", std::abs(std::accumulate(ranks.begin(), ranks.end(), 0.0) - 1) < 1e-9);
    check("ranks in float", std::abs(coarse[static_cast<std::size_t>(top - ranks.begin())] - *top) < 1e-4);

    const auto labels = analysis.components();
    std::unordered_map<Vertex, std::size_t> sizes;
    for (Vertex label : labels)
        sizes[label]++;
    std::printf("%zu components, that of vertex %u has %zu vertices\n", sizes.size(), labels[1], sizes[labels[1]]);
    check("components", sizes.size() == simple::components(graph));

    const auto [triangles, most, at] = analysis.triangles();
    std::printf("%llu triangles, at most %u at one vertex, fingerprint %016llx\n", static_cast<unsigned long long>(triangles), most,
                static_cast<unsigned long long>(fingerprint<std::uint32_t>(at)));
    check("triangles", triangles == simple::triangles(graph));

    const auto colours = analysis.colours();
    std::printf("%d colours, fingerprint %016llx\n", *std::ranges::max_element(colours) + 1,
                static_cast<unsigned long long>(fingerprint<std::int16_t>(colours)));
    for (Vertex v = 0; v < graph.size(); v++)
        for (Vertex w : graph.of(v))
            check("colours", colours[v] != colours[w]);

    const auto cores = analysis.cores();
    std::printf("innermost core %u\n", *std::ranges::max_element(cores));
    return check.wrong() ? 1 : 0;
}
