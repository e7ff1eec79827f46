/* Makes a triangle mesh better: moves points to where their triangles have good angles, and swaps edges.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A plate with round holes is meshed by a disturbed grid. The smoother alternates three things until the worst angle stays as it is:
 * Taubin smoothing (a step towards the neighbours' mean, a smaller one back, so that the mesh does not shrink), a guarded
 * optimisation step for each point, and Delaunay swaps. Points on borders slide along them. Loops over points and triangles are
 * tasks; swaps change the topology and are main's.
 */
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace geometry {

template <typename Real>
struct Vector2 {
    Real x = 0, y = 0;

    constexpr Vector2 &operator+=(const Vector2 &other)
    {
        x += other.x;
        y += other.y;
        return *this;
    }
    friend constexpr Vector2 operator+(Vector2 a, const Vector2 &b) { return a += b; }
    friend constexpr Vector2 operator-(const Vector2 &a, const Vector2 &b) { return {a.x - b.x, a.y - b.y}; }
    friend constexpr Vector2 operator*(Real k, const Vector2 &a) { return {k * a.x, k * a.y}; }
    friend constexpr bool operator==(const Vector2 &a, const Vector2 &b) { return a.x == b.x && a.y == b.y; }
};

using Point = Vector2<double>;

constexpr double dot(const Point &a, const Point &b) { return a.x * b.x + a.y * b.y; }
constexpr double cross(const Point &a, const Point &b) { return a.x * b.y - a.y * b.x; }
inline double length(const Point &a) { return std::sqrt(dot(a, a)); }
constexpr double twice_area(const Point &a, const Point &b, const Point &c) { return cross(b - a, c - a); }

/* 1 for an equilateral triangle, 0 for a flat one, below 0 for one that is turned over. */
inline double shape(const Point &a, const Point &b, const Point &c)
{
    const double squares = dot(b - a, b - a) + dot(c - b, c - b) + dot(a - c, a - c);
    return squares > 0 ? 2 * 1.7320508075688772 * twice_area(a, b, c) / squares : 0;
}

/* The cosine of the smallest angle; the larger it is the worse. */
inline double sharpness(const Point &a, const Point &b, const Point &c)
{
    const auto cosine = [](const Point &at, const Point &to, const Point &other) {
        const Point u = to - at, v = other - at;
        const double lengths = length(u) * length(v);
        return lengths > 0 ? dot(u, v) / lengths : 1.0;
    };
    return std::max({cosine(a, b, c), cosine(b, c, a), cosine(c, a, b)});
}

/* Whether d lies inside the circle through a, b and c, which turn to the left. */
inline bool in_circle(const Point &a, const Point &b, const Point &c, const Point &d)
{
    const Point p = a - d, q = b - d, r = c - d;
    const double det = dot(p, p) * cross(q, r) - dot(q, q) * cross(p, r) + dot(r, r) * cross(p, q);
    return det > 1e-12;
}

} // namespace geometry

using geometry::Point;

enum class Place : std::uint8_t { inner, border, corner };

using Index = std::int32_t;

struct Triangle {
    std::array<Index, 3> corner;
};

struct Circle {
    Point centre;
    double radius;
};

/* What the loops over all points and triangles need to know. Each function here is a task. */
namespace step {

/* to = from + k * (mean of the neighbours - from). */
#pragma streamap resource *:C split(v) in(first[v:2], neighbour[0:first[n]], place[v], from[0:n]) out(to[v])
void towards_mean(Index n, double k, const Index *first, const Index *neighbour, const Place *place, const Point *from, Point *to)
{
    for (Index v = 0; v < n; v++) {
        Point sum{};
        const Index count = first[v + 1] - first[v];
        for (Index e = first[v]; e < first[v + 1]; e++)
            sum += from[neighbour[e]];
        if (place[v] == Place::inner && count > 0)
            to[v] = from[v] + k * ((1.0 / count) * sum - from[v]);
        else
            to[v] = from[v];
    }
}

/* The worst shape of the triangles around a point, were the point at p. */
static double worst_around(Index v, Point p, const Index *first_of, const Index *around, const Triangle *triangles, const Point *points)
{
    double worst = 2;
    for (Index k = first_of[v]; k < first_of[v + 1]; k++) {
        std::array<Point, 3> corners;
        for (int c = 0; c < 3; c++) {
            const Index at = triangles[around[k]].corner[c];
            corners[c] = at == v ? p : points[at];
        }
        worst = std::min(worst, geometry::shape(corners[0], corners[1], corners[2]));
    }
    return worst;
}

/* Each point looks in eight directions for a place where its worst triangle is better, as things stand. */
#pragma streamap resource *:C split(v) in(first_of[v:2], around[0:first_of[n]], triangles[0:m], place[v], from[0:n]) out(to[v])
void look_around(Index n, [[maybe_unused]] Index m, double reach, const Index *first_of, const Index *around, const Triangle *triangles, const Place *place,
                 const Point *from, Point *to)
{
    for (Index v = 0; v < n; v++) {
        Point best = from[v];
        if (place[v] == Place::inner) {
            double quality = worst_around(v, best, first_of, around, triangles, from);
            double radius = reach;
            for (int round = 0; round < 3; round++, radius /= 2)
                for (int direction = 0; direction < 8; direction++) {
                    static constexpr double side = 0.70710678118654752;
                    static constexpr double way[8][2] = {{1, 0}, {side, side}, {0, 1}, {-side, side}, {-1, 0}, {-side, -side}, {0, -1}, {side, -side}};
                    const Point there = from[v] + radius * Point{way[direction][0], way[direction][1]};
                    const double better = worst_around(v, there, first_of, around, triangles, from);
                    if (better > quality + 1e-9) {
                        quality = better;
                        best = there;
                    }
                }
        }
        to[v] = best;
    }
}

/* Points of a hole's border slide back onto its circle. */
#pragma streamap resource 2:C split(v) in(circles[0:holes], circle_of[v]) inout(points[v])
void back_to_circle(Index n, int holes, const Circle *circles, const std::int8_t *circle_of, Point *points)
{
    for (Index v = 0; v < n; v++)
        if (circle_of[v] >= 0 && circle_of[v] < holes) {
            const Circle &circle = circles[circle_of[v]];
            const Point arm = points[v] - circle.centre;
            const double far = geometry::length(arm);
            if (far > 0)
                points[v] = circle.centre + (circle.radius / far) * arm;
        }
}

/* quality[t] of each triangle; the sharpest angle of all, how many are turned over, and a histogram of the qualities. */
#pragma streamap resource *:C split(t) in(triangles[t], points[0:n]) out(quality[t]) \
    reduction(max: sharpest[0:1]) reduction(+: turned, histogram[0:bins])
void measure([[maybe_unused]] Index n, Index m, int bins, const Triangle *triangles, const Point *points, double *quality, double *sharpest, long &turned,
             long *histogram)
{
    for (Index t = 0; t < m; t++) {
        const auto &[a, b, c] = triangles[t].corner;
        quality[t] = geometry::shape(points[a], points[b], points[c]);
        const double sharp = geometry::sharpness(points[a], points[b], points[c]);
        if (sharp > sharpest[0])
            sharpest[0] = sharp;
        if (quality[t] <= 0)
            turned += 1;
        const int bin = static_cast<int>(quality[t] * bins);
        histogram[bin < 0 ? 0 : bin >= bins ? bins - 1 : bin] += 1;
    }
}

} // namespace step

/* Lists of different lengths, one behind the other. */
class Lists {
public:
    Lists() = default;

    /* From pairs (list, member) in any order. */
    Lists(Index lists, std::vector<std::pair<Index, Index>> pairs)
    {
        std::sort(pairs.begin(), pairs.end());
        pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
        first_.assign(static_cast<std::size_t>(lists) + 1, 0);
        members_.reserve(pairs.size());
        for (const auto &[list, member] : pairs) {
            first_[static_cast<std::size_t>(list) + 1]++;
            members_.push_back(member);
        }
        for (std::size_t k = 1; k < first_.size(); k++)
            first_[k] += first_[k - 1];
    }

    const Index *first() const { return first_.data(); }
    const Index *members() const { return members_.data(); }
    Index size_of(Index list) const { return first_[static_cast<std::size_t>(list) + 1] - first_[static_cast<std::size_t>(list)]; }

private:
    std::vector<Index> first_, members_;
};

struct Report {
    double smallest_angle = 0; /* degrees */
    double mean_quality = 0, worst_quality = 0;
    long turned = 0;
    std::vector<long> histogram;
};

class Mesh {
public:
    Index add(Point p, Place place, int circle = -1)
    {
        points_.push_back(p);
        places_.push_back(place);
        circle_of_.push_back(static_cast<std::int8_t>(circle));
        return static_cast<Index>(points_.size() - 1);
    }
    void add(Index a, Index b, Index c)
    {
        if (geometry::twice_area(at(a), at(b), at(c)) < 0)
            std::swap(b, c);
        triangles_.push_back({{a, b, c}});
    }
    void set_circles(std::vector<Circle> circles) { circles_ = std::move(circles); }

    Index point_count() const { return static_cast<Index>(points_.size()); }
    Index triangle_count() const { return static_cast<Index>(triangles_.size()); }
    const Point &at(Index v) const { return points_[static_cast<std::size_t>(v)]; }
    const std::vector<Triangle> &triangles() const { return triangles_; }
    const std::vector<Point> &points() const { return points_; }

    /* Who is beside whom; to be called when triangles have changed. */
    void connect()
    {
        std::vector<std::pair<Index, Index>> beside, around;
        for (Index t = 0; t < triangle_count(); t++)
            for (int k = 0; k < 3; k++) {
                const Index v = corner(t, k), w = corner(t, (k + 1) % 3);
                beside.emplace_back(v, w);
                beside.emplace_back(w, v);
                around.emplace_back(v, t);
            }
        neighbours_ = Lists(point_count(), std::move(beside));
        around_ = Lists(point_count(), std::move(around));
    }

    /* Smooths without waiting: everything here is launched and comes home with the next measure() or settle(). */
    void smooth(int rounds)
    {
        spare_.resize(points_.size());
        const Index n = point_count();
        for (int k = 0; k < rounds; k++) {
            step::towards_mean(n, 0.5, neighbours_.first(), neighbours_.members(), places_.data(), points_.data(), spare_.data());
            step::towards_mean(n, -0.53, neighbours_.first(), neighbours_.members(), places_.data(), spare_.data(), points_.data());
        }
        slide();
    }

    void optimise(int rounds, double reach)
    {
        spare_.resize(points_.size());
        for (int k = 0; k < rounds; k++) {
            step::look_around(point_count(), triangle_count(), reach, around_.first(), around_.members(), triangles_.data(), places_.data(),
                              points_.data(), spare_.data());
            /* Neighbours that both moved may have got into each other's way: half of the step each, then look again. */
            step::look_around(point_count(), triangle_count(), reach / 2, around_.first(), around_.members(), triangles_.data(),
                              places_.data(), spare_.data(), points_.data());
        }
        slide();
    }

    void settle()
    {
        #pragma streamap wait
    }

    Report measure(int bins)
    {
        Report report;
        report.histogram.assign(static_cast<std::size_t>(bins), 0);
        qualities_.resize(triangles_.size());
        double sharpest = -1;
        step::measure(point_count(), triangle_count(), bins, triangles_.data(), points_.data(), qualities_.data(), &sharpest, report.turned,
                      report.histogram.data());
        settle();
        report.smallest_angle = std::acos(std::clamp(sharpest, -1.0, 1.0)) * 180 / 3.14159265358979323846;
        report.worst_quality = 1;
        for (double q : qualities_) {
            report.mean_quality += q / static_cast<double>(qualities_.size());
            report.worst_quality = std::min(report.worst_quality, q);
        }
        return report;
    }

    /* Swaps edges whose opposite corners see each other in their circles. Returns how many. */
    int swap_edges()
    {
        std::map<std::pair<Index, Index>, Index> owner; /* directed edge -> triangle */
        for (Index t = 0; t < triangle_count(); t++)
            for (int k = 0; k < 3; k++)
                owner[{corner(t, k), corner(t, (k + 1) % 3)}] = t;
        int swaps = 0;
        std::vector<bool> touched(triangles_.size(), false);
        for (const auto &[edge, t] : owner) {
            const auto [v, w] = edge;
            const auto opposite = owner.find({w, v});
            if (v > w || opposite == owner.end())
                continue;
            const Index s = opposite->second;
            if (touched[static_cast<std::size_t>(t)] || touched[static_cast<std::size_t>(s)])
                continue;
            const Index p = other_corner(t, v, w), q = other_corner(s, v, w);
            if (!geometry::in_circle(at(v), at(w), at(p), at(q)) || !is_convex(p, v, q, w))
                continue;
            triangles_[static_cast<std::size_t>(t)].corner = {p, v, q};
            triangles_[static_cast<std::size_t>(s)].corner = {p, q, w};
            touched[static_cast<std::size_t>(t)] = touched[static_cast<std::size_t>(s)] = true;
            swaps++;
        }
        if (swaps > 0)
            connect();
        return swaps;
    }

    double area() const
    {
        double sum = 0;
        for (const Triangle &t : triangles_)
            sum += geometry::twice_area(at(t.corner[0]), at(t.corner[1]), at(t.corner[2])) / 2;
        return sum;
    }

    std::map<Index, int> valences() const
    {
        std::map<Index, int> result;
        for (Index v = 0; v < point_count(); v++)
            result[neighbours_.size_of(v)]++;
        return result;
    }

private:
    Index corner(Index t, int k) const { return triangles_[static_cast<std::size_t>(t)].corner[static_cast<std::size_t>(k)]; }

    Index other_corner(Index t, Index v, Index w) const
    {
        for (int k = 0; k < 3; k++)
            if (corner(t, k) != v && corner(t, k) != w)
                return corner(t, k);
        throw std::logic_error("a triangle without a third corner");
    }

    bool is_convex(Index a, Index b, Index c, Index d) const
    {
        const std::array<Point, 4> p{at(a), at(b), at(c), at(d)};
        for (std::size_t k = 0; k < 4; k++)
            if (geometry::twice_area(p[k], p[(k + 1) % 4], p[(k + 2) % 4]) <= 1e-12)
                return false;
        return true;
    }

    void slide() { step::back_to_circle(point_count(), static_cast<int>(circles_.size()), circles_.data(), circle_of_.data(), points_.data()); }

    std::vector<Point> points_, spare_;
    std::vector<Place> places_;
    std::vector<std::int8_t> circle_of_;
    std::vector<Triangle> triangles_;
    std::vector<Circle> circles_;
    std::vector<double> qualities_;
    Lists neighbours_, around_;
};

/* A stream of numbers that depends on its seed alone. */
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}
    double operator()() /* in [-1, 1) */
    {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<double>(static_cast<std::int64_t>(state_)) / 9223372036854775808.0;
    }

private:
    std::uint64_t state_;
};

/* A plate of width x height cells of size 1, disturbed, with circles cut out of it. */
class PlateMesher {
public:
    PlateMesher(int width, int height, std::vector<Circle> holes) : width_(width), height_(height), holes_(std::move(holes)) {}

    Mesh mesh(std::uint64_t seed)
    {
        Mesh result;
        Dice dice(seed);
        ids_.assign(static_cast<std::size_t>(width_ + 1) * static_cast<std::size_t>(height_ + 1), -1);
        for (int y = 0; y <= height_; y++)
            for (int x = 0; x <= width_; x++)
                place_point(result, dice, x, y);
        for (int y = 0; y < height_; y++)
            for (int x = 0; x < width_; x++)
                place_cell(result, x, y);
        result.set_circles(holes_);
        result.connect();
        return result;
    }

private:
    Index &id(int x, int y) { return ids_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_ + 1) + static_cast<std::size_t>(x)]; }

    void place_point(Mesh &mesh, Dice &dice, int x, int y)
    {
        const bool left_right = x == 0 || x == width_, up_down = y == 0 || y == height_;
        Point p{x + (left_right ? 0 : 0.35 * dice()), y + (up_down ? 0 : 0.35 * dice())};
        Place place = left_right && up_down ? Place::corner : left_right || up_down ? Place::border : Place::inner;
        int circle = -1;
        for (std::size_t k = 0; k < holes_.size(); k++) {
            const Point grid{static_cast<double>(x), static_cast<double>(y)};
            const double far = geometry::length(grid - holes_[k].centre);
            if (far < holes_[k].radius - 0.5)
                return; /* inside a hole */
            if (far < holes_[k].radius + 0.5) {
                circle = static_cast<int>(k);
                place = Place::border;
                p = holes_[k].centre + (holes_[k].radius / far) * (grid - holes_[k].centre);
            }
        }
        id(x, y) = mesh.add(p, place, circle);
    }

    void place_cell(Mesh &mesh, int x, int y)
    {
        const std::array<Index, 4> corners{id(x, y), id(x + 1, y), id(x + 1, y + 1), id(x, y + 1)};
        std::vector<Index> there;
        std::copy_if(corners.begin(), corners.end(), std::back_inserter(there), [](Index v) { return v >= 0; });
        const auto area = [&](std::size_t a, std::size_t b, std::size_t c) {
            return geometry::twice_area(mesh.at(there[a]), mesh.at(there[b]), mesh.at(there[c]));
        };
        if (there.size() == 3 && area(0, 1, 2) > 0.02)
            mesh.add(there[0], there[1], there[2]);
        if (there.size() != 4)
            return;
        const std::size_t turn = (x + y) % 2; /* which diagonal */
        if (area(turn, turn + 1, turn + 2) > 0.02)
            mesh.add(there[turn], there[turn + 1], there[turn + 2]);
        if (area(turn, turn + 2, (turn + 3) % 4) > 0.02)
            mesh.add(there[turn], there[turn + 2], there[(turn + 3) % 4]);
    }

    int width_, height_;
    std::vector<Circle> holes_;
    std::vector<Index> ids_;
};

static std::uint64_t fingerprint(const Mesh &mesh)
{
    std::uint64_t hash = 14695981039346656037u;
    const auto add = [&hash](const void *data, std::size_t size) {
        const auto *bytes = static_cast<const unsigned char *>(data);
        for (std::size_t k = 0; k < size; k++)
            hash = (hash ^ bytes[k]) * 1099511628211u;
    };
    add(mesh.points().data(), mesh.points().size() * sizeof(Point));
    add(mesh.triangles().data(), mesh.triangles().size() * sizeof(Triangle));
    return hash;
}

/* The mesh as Wavefront text; what is read back must be the mesh. */
static std::string to_text(const Mesh &mesh)
{
    std::ostringstream out;
    out.precision(17);
    for (const Point &p : mesh.points())
        out << "v " << p.x << ' ' << p.y << " 0\n";
    for (const Triangle &t : mesh.triangles())
        out << "f " << t.corner[0] + 1 << ' ' << t.corner[1] + 1 << ' ' << t.corner[2] + 1 << '\n';
    return out.str();
}

static Mesh from_text(const std::string &text)
{
    Mesh mesh;
    std::istringstream in(text);
    for (std::string kind; in >> kind;) {
        if (kind == "v") {
            double x, y, z;
            in >> x >> y >> z;
            mesh.add({x, y}, Place::inner);
        } else if (kind == "f") {
            Index a, b, c;
            in >> a >> b >> c;
            mesh.add(a - 1, b - 1, c - 1);
        } else {
            throw std::runtime_error("neither a point nor a face: " + kind);
        }
    }
    return mesh;
}

static void print(const char *when, const Mesh &mesh, const Report &report)
{
    std::printf("%-14s %d triangles, smallest angle %.6f, quality %.9f worst %.9f, %ld turned over |", when, mesh.triangle_count(),
                report.smallest_angle, report.mean_quality, report.worst_quality, report.turned);
    for (long count : report.histogram)
        std::printf(" %ld", count);
    std::printf("\n");
}

int main(int argc, char **argv)
{
    const int size = argc > 1 ? std::atoi(argv[1]) : 40;
    PlateMesher mesher(size * 2, size, {{{size * 0.5, size * 0.5}, size * 0.25}, {{size * 1.4, size * 0.6}, size * 0.17}});
    Mesh mesh = mesher.mesh(7);
    print("as meshed", mesh, mesh.measure(10));

    double before = -1;
    for (int round = 1; round <= 12; round++) {
        const int swaps = mesh.swap_edges();
        mesh.smooth(3);
        mesh.optimise(2, 0.1);
        const Report report = mesh.measure(10);
        std::printf("round %d: %d swaps, ", round, swaps);
        print("", mesh, report);
        if (swaps == 0 && std::fabs(report.smallest_angle - before) < 1e-6)
            break;
        before = report.smallest_angle;
    }

    for (const auto &[valence, count] : mesh.valences())
        std::printf("%d points with %d neighbours\n", count, valence);
    const Mesh again = from_text(to_text(mesh));
    std::printf("area %.12g, fingerprint %016llx, read back %016llx\n", mesh.area(), static_cast<unsigned long long>(fingerprint(mesh)),
                static_cast<unsigned long long>(fingerprint(again)));
    return fingerprint(mesh) == fingerprint(again) ? 0 : 1;
}
