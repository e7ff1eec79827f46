/* Finds the coins in a picture: a pipeline of image filters, put together from stages at run time.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A picture of coins on a table is drawn (light, shadow, noise), and then treated as one from a camera: colour to grey, noise out by a
 * median, a Gaussian in two passes, Sobel gradients, thinning to edges, two thresholds, closing of gaps, components, and a Hough vote
 * for circles. Filters work on rows and are tasks; what follows edges is main's. What is found is compared with what was drawn.
 */
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace image {

using Byte = std::uint8_t;

struct Colour {
    Byte red, green, blue;
};

/* Rows of pixels. An image knows its size and hands out plain pointers; it does not copy itself by accident. */
template <typename Pixel>
class Image {
public:
    using value_type = Pixel;

    Image(int width, int height) : width_(width), height_(height), pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {}
    Image(Image &&) noexcept = default;
    Image &operator=(Image &&) noexcept = default;

    int width() const { return width_; }
    int height() const { return height_; }
    std::size_t count() const { return pixels_.size(); }
    Pixel *data() { return pixels_.data(); }
    const Pixel *data() const { return pixels_.data(); }
    Pixel &operator()(int x, int y) { return pixels_[index(x, y)]; }
    const Pixel &operator()(int x, int y) const { return pixels_[index(x, y)]; }
    bool contains(int x, int y) const { return x >= 0 && x < width_ && y >= 0 && y < height_; }

private:
    std::size_t index(int x, int y) const
    {
        assert(contains(x, y));
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
    }

    int width_, height_;
    std::vector<Pixel> pixels_;
};

} // namespace image

using image::Byte;
using image::Colour;
using image::Image;

/* The filters. w and h are the picture's size; whatever lies outside of it is taken to be like its rim. */
namespace filter {

template <typename T>
constexpr T clamp_to(T value, T least, T most)
{
    return value < least ? least : value > most ? most : value;
}

#pragma streamap resource *:C split(y) in(from[y*w:w]) out(to[y*w:w])
void to_grey(int w, int h, const Colour *from, float *to)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const auto [red, green, blue] = from[y * w + x];
            to[y * w + x] = (0.299f * red + 0.587f * green + 0.114f * blue) / 255;
        }
}

/* The median of 3 x 3. */
#pragma streamap resource *:C split(y) extent(from[0:w*h]) in(from[(y-1)*w:3*w]) out(to[y*w:w])
template <typename T>
void median(int w, int h, const T *from, T *to)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            std::array<T, 9> around;
            std::size_t count = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    around[count++] = from[clamp_to(y + dy, 0, h - 1) * w + clamp_to(x + dx, 0, w - 1)];
            std::nth_element(around.begin(), around.begin() + 4, around.end());
            to[y * w + x] = around[4];
        }
}

/* A symmetric kernel along rows; weights[0] is the middle. */
#pragma streamap resource *:C split(y) in(weights[0:Radius+1], from[y*w:w]) out(to[y*w:w])
template <int Radius>
void blur_rows(int w, int h, const float *weights, const float *from, float *to)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float sum = weights[0] * from[y * w + x];
            for (int k = 1; k <= Radius; k++)
                sum += weights[k] * (from[y * w + std::max(x - k, 0)] + from[y * w + std::min(x + k, w - 1)]);
            to[y * w + x] = sum;
        }
}

/* The same down columns: a task reads Radius rows on either side of its own. */
#pragma streamap resource *:C split(y) extent(from[0:w*h]) in(weights[0:Radius+1], from[(y-Radius)*w:(2*Radius+1)*w]) out(to[y*w:w])
template <int Radius>
void blur_columns(int w, int h, const float *weights, const float *from, float *to)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float sum = weights[0] * from[y * w + x];
            for (int k = 1; k <= Radius; k++)
                sum += weights[k] * (from[std::max(y - k, 0) * w + x] + from[std::min(y + k, h - 1) * w + x]);
            to[y * w + x] = sum;
        }
}

struct Gradient {
    float strength;
    std::int8_t dx, dy; /* the way across the edge, one of eight */
    Byte spare[2];
};

/* tan(22.5 deg): where one of the eight ways ends. */
inline constexpr float narrow = 0.41421356f;

#pragma streamap resource *:C split(y) extent(from[0:w*h]) in(from[(y-1)*w:3*w]) out(to[y*w:w]) reduction(max: strongest)
void sobel(int w, int h, const float *from, Gradient *to, float &strongest)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const auto at = [=](int dx, int dy) { return from[clamp_to(y + dy, 0, h - 1) * w + clamp_to(x + dx, 0, w - 1)]; };
            const float gx = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
            const float gy = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
            Gradient g{std::sqrt(gx * gx + gy * gy), 0, 0, {}};
            if (std::fabs(gx) > narrow * std::fabs(gy))
                g.dx = gx > 0 ? 1 : -1;
            if (std::fabs(gy) > narrow * std::fabs(gx))
                g.dy = gy > 0 ? 1 : -1;
            to[y * w + x] = g;
            if (g.strength > strongest)
                strongest = g.strength;
        }
}

enum Edge : Byte { none = 0, weak = 1, strong = 2 };

/* Keeps the crest of each edge, and says how strong it is. */
#pragma streamap resource *:C split(y) extent(from[0:w*h]) in(from[(y-1)*w:3*w]) out(to[y*w:w])
void thin(int w, int h, float low, float high, const Gradient *from, Edge *to)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const Gradient &g = from[y * w + x];
            const auto strength = [&](int dx, int dy) {
                const int nx = x + dx, ny = y + dy;
                return nx < 0 || nx >= w || ny < 0 || ny >= h ? 0.0f : from[ny * w + nx].strength;
            };
            const bool crest = g.strength > strength(g.dx, g.dy) && g.strength >= strength(-g.dx, -g.dy);
            to[y * w + x] = !crest || g.strength < low ? none : g.strength < high ? weak : strong;
        }
}

struct Larger {
    constexpr Byte operator()(Byte a, Byte b) const { return a > b ? a : b; }
};
struct Smaller {
    constexpr Byte operator()(Byte a, Byte b) const { return a < b ? a : b; }
};

/* Dilation with Larger, erosion with Smaller, by a plus of five pixels. */
#pragma streamap resource *:C split(y) extent(from[0:w*h]) in(from[(y-1)*w:3*w]) out(to[y*w:w])
template <class Choice>
void morph(int w, int h, Choice choice, const Byte *from, Byte *to)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            Byte value = from[y * w + x];
            value = choice(value, from[y * w + std::max(x - 1, 0)]);
            value = choice(value, from[y * w + std::min(x + 1, w - 1)]);
            value = choice(value, from[std::max(y - 1, 0) * w + x]);
            value = choice(value, from[std::min(y + 1, h - 1) * w + x]);
            to[y * w + x] = value;
        }
}

#pragma streamap resource *:C split(y) in(from[y*w:w]) reduction(+: bins[0:count])
void histogram(int w, int h, float scale, const Gradient *from, long *bins, int count)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            bins[clamp_to(static_cast<int>(from[y * w + x].strength * scale * static_cast<float>(count)), 0, count - 1)] += 1;
}

/* Each edge pixel votes for the centres of circles of radius r on either side of its edge. */
#pragma streamap resource *:C split(y) in(edges[y*w:w], gradients[y*w:w]) reduction(+: votes[0:w*h])
void vote(int w, int h, int r, const Byte *edges, const Gradient *gradients, int *votes)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const Gradient &g = gradients[y * w + x];
            if (!edges[y * w + x])
                continue;
            const float scale = g.dx != 0 && g.dy != 0 ? 0.70710678f : 1.0f;
            for (int side = -1; side <= 1; side += 2)
                for (int spread = -3; spread <= 3; spread++) {
                    const float angle = static_cast<float>(spread) * 0.125f;
                    const float ux = scale * (static_cast<float>(g.dx) - angle * static_cast<float>(g.dy));
                    const float uy = scale * (static_cast<float>(g.dy) + angle * static_cast<float>(g.dx));
                    const float length = std::sqrt(ux * ux + uy * uy);
                    const int cx = x + static_cast<int>(std::lround(static_cast<float>(side * r) * ux / length));
                    const int cy = y + static_cast<int>(std::lround(static_cast<float>(side * r) * uy / length));
                    if (cx >= 0 && cx < w && cy >= 0 && cy < h)
                        votes[cy * w + cx] += 1;
                }
        }
}

} // namespace filter

struct Coin {
    int x, y, radius;
    friend auto operator<=>(const Coin &, const Coin &) = default;
};

/* Draws coins on a wooden table, lit from the upper left, with a camera's noise. */
class Scene {
public:
    Scene(int width, int height, std::uint32_t seed) : width_(width), height_(height), state_(seed)
    {
        for (int tries = 0; tries < 400 && coins_.size() < 9; tries++) {
            const int radius = radii[next() % radii.size()];
            const Coin coin{radius + 6 + static_cast<int>(next() % static_cast<unsigned>(width - 2 * radius - 12)),
                            radius + 6 + static_cast<int>(next() % static_cast<unsigned>(height - 2 * radius - 12)), radius};
            const bool is_free = std::all_of(coins_.begin(), coins_.end(), [&coin](const Coin &other) {
                return std::hypot(coin.x - other.x, coin.y - other.y) > coin.radius + other.radius + 7;
            });
            if (is_free)
                coins_.push_back(coin);
        }
        std::sort(coins_.begin(), coins_.end());
    }

    Image<Colour> draw()
    {
        Image<Colour> result(width_, height_);
        for (int y = 0; y < height_; y++)
            for (int x = 0; x < width_; x++) {
                const double light = 1.1 - 0.3 * (static_cast<double>(x) / width_ + static_cast<double>(y) / height_) / 2;
                std::array<double, 3> colour{70 + 6 * std::sin(y * 0.6 + 0.1 * std::sin(x * 0.05)), 45, 30};
                if (const Coin *coin = coin_at(x, y)) {
                    const double shine = 0.85 + 0.15 * (coin->x - x + coin->y - y) / (1.5 * coin->radius);
                    colour = {215 * shine, 190 * shine, 120 * shine};
                }
                const double noise = static_cast<double>(next() % 21) - 10;
                const auto byte = [&](double value) { return static_cast<Byte>(std::clamp(value * light + noise, 0.0, 255.0)); };
                result(x, y) = {byte(colour[0]), byte(colour[1]), byte(colour[2])};
                if (next() % 97 == 0)
                    result(x, y) = {255, 255, 255};
            }
        return result;
    }

    const std::vector<Coin> &coins() const { return coins_; }
    static constexpr std::array<int, 3> radii{11, 15, 20};

private:
    const Coin *coin_at(int x, int y) const
    {
        for (const Coin &coin : coins_)
            if ((x - coin.x) * (x - coin.x) + (y - coin.y) * (y - coin.y) <= coin.radius * coin.radius)
                return &coin;
        return nullptr;
    }
    unsigned next()
    {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return state_;
    }

    int width_, height_;
    std::uint32_t state_;
    std::vector<Coin> coins_;
};

/* Stages with names, each a function of the picture's size; run in the order in which they were added. */
class Pipeline {
public:
    Pipeline &then(std::string name, std::function<void(int, int)> stage)
    {
        stages_.emplace_back(std::move(name), std::move(stage));
        return *this;
    }
    void run(int width, int height) const
    {
        for (const auto &[name, stage] : stages_)
            stage(width, height);
    }
    std::size_t size() const { return stages_.size(); }

private:
    std::vector<std::pair<std::string, std::function<void(int, int)>>> stages_;
};

template <int Radius>
class Gaussian {
public:
    explicit Gaussian(double sigma)
    {
        double sum = 0;
        for (int k = -Radius; k <= Radius; k++)
            sum += std::exp(-k * k / (2 * sigma * sigma));
        for (int k = 0; k <= Radius; k++)
            weights_[static_cast<std::size_t>(k)] = static_cast<float>(std::exp(-k * k / (2 * sigma * sigma)) / sum);
    }
    void operator()(int w, int h, const Image<float> &from, Image<float> &between, Image<float> &to) const
    {
        filter::blur_rows<Radius>(w, h, weights_.data(), from.data(), between.data());
        filter::blur_columns<Radius>(w, h, weights_.data(), between.data(), to.data());
    }

private:
    std::array<float, Radius + 1> weights_{};
};

/* Weak edges stay where they hang together with strong ones. */
static void follow(Image<filter::Edge> &edges)
{
    std::vector<std::pair<int, int>> open;
    for (int y = 0; y < edges.height(); y++)
        for (int x = 0; x < edges.width(); x++)
            if (edges(x, y) == filter::strong)
                open.emplace_back(x, y);
    while (!open.empty()) {
        const auto [x, y] = open.back();
        open.pop_back();
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++)
                if (edges.contains(x + dx, y + dy) && edges(x + dx, y + dy) == filter::weak) {
                    edges(x + dx, y + dy) = filter::strong;
                    open.emplace_back(x + dx, y + dy);
                }
    }
}

/* Connected pixels get one number; union-find. */
class Components {
public:
    explicit Components(const Image<Byte> &mask) : label_(mask.count(), -1), parent_(mask.count())
    {
        std::iota(parent_.begin(), parent_.end(), 0);
        const int w = mask.width();
        for (int y = 0; y < mask.height(); y++)
            for (int x = 0; x < w; x++) {
                if (!mask(x, y))
                    continue;
                if (x > 0 && mask(x - 1, y))
                    join(y * w + x, y * w + x - 1);
                if (y > 0 && mask(x, y - 1))
                    join(y * w + x, (y - 1) * w + x);
            }
        std::map<int, int> numbers;
        for (std::size_t k = 0; k < label_.size(); k++)
            if (mask.data()[k])
                label_[k] = numbers.try_emplace(root(static_cast<int>(k)), static_cast<int>(numbers.size())).first->second;
        sizes_.assign(numbers.size(), 0);
        for (int label : label_)
            if (label >= 0)
                sizes_[static_cast<std::size_t>(label)]++;
    }
    const std::vector<int> &sizes() const { return sizes_; }

private:
    int root(int k)
    {
        while (parent_[static_cast<std::size_t>(k)] != k)
            k = parent_[static_cast<std::size_t>(k)] = parent_[static_cast<std::size_t>(parent_[static_cast<std::size_t>(k)])];
        return k;
    }
    void join(int a, int b) { parent_[static_cast<std::size_t>(root(a))] = root(b); }

    std::vector<int> label_, parent_, sizes_;
};

template <typename Pixel>
static std::uint64_t fingerprint(const Image<Pixel> &picture)
{
    std::uint64_t hash = 14695981039346656037u;
    const auto *bytes = reinterpret_cast<const unsigned char *>(picture.data());
    for (std::size_t k = 0; k < picture.count() * sizeof(Pixel); k++)
        hash = (hash ^ bytes[k]) * 1099511628211u;
    return hash;
}

/* Peaks of the votes, the best first; none near another. */
static std::vector<std::pair<int, Coin>> peaks(const Image<int> &votes, int radius)
{
    std::vector<std::pair<int, Coin>> found;
    const int needed = static_cast<int>(radius * 4.5);
    for (int y = 1; y + 1 < votes.height(); y++)
        for (int x = 1; x + 1 < votes.width(); x++) {
            int sum = 0; /* votes spread over neighbours */
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    sum += votes(x + dx, y + dy);
            if (sum >= needed)
                found.push_back({sum * 100 / radius, {x, y, radius}});
        }
    return found;
}

static std::vector<Coin> choose(std::vector<std::pair<int, Coin>> found)
{
    std::sort(found.begin(), found.end(), [](const auto &a, const auto &b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
    std::vector<Coin> chosen;
    for (const auto &[score, coin] : found) {
        const bool is_new = std::none_of(chosen.begin(), chosen.end(), [c = coin](const Coin &other) {
            return std::hypot(c.x - other.x, c.y - other.y) < std::max(c.radius, other.radius);
        });
        if (is_new)
            chosen.push_back(coin);
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

/* All images that lie between picture and answer. */
struct Desk {
    Desk(int w, int h) : grey(w, h), calm(w, h), between(w, h), smooth(w, h), gradients(w, h), edges(w, h), wide(w, h), closed(w, h) {}
    Image<float> grey, calm, between, smooth;
    Image<filter::Gradient> gradients;
    Image<filter::Edge> edges;
    Image<Byte> wide, closed;
    float strongest = 0;
    std::array<long, 16> bins{};
};

static std::vector<Coin> find_coins(const Image<Colour> &picture)
{
    Desk desk(picture.width(), picture.height());
    const Gaussian<4> gaussian(1.6);
    Pipeline pipeline;
    pipeline.then("grey", [&](int w, int h) { filter::to_grey(w, h, picture.data(), desk.grey.data()); })
        .then("median", [&](int w, int h) { filter::median(w, h, desk.grey.data(), desk.calm.data()); })
        .then("gaussian", [&](int w, int h) { gaussian(w, h, desk.calm, desk.between, desk.smooth); })
        .then("sobel", [&](int w, int h) { filter::sobel(w, h, desk.smooth.data(), desk.gradients.data(), desk.strongest); })
        .then("thin", [&](int w, int h) {
            const float &strongest = desk.strongest;
            #pragma streamap wait on(strongest)
            filter::thin(w, h, 0.15f * strongest, 0.35f * strongest, desk.gradients.data(), desk.edges.data());
        })
        .then("histogram", [&](int w, int h) {
            filter::histogram(w, h, 1 / desk.strongest, desk.gradients.data(), desk.bins.data(), static_cast<int>(desk.bins.size()));
        })
        .then("follow", [&](int, int) {
            #pragma streamap wait
            follow(desk.edges);
            std::transform(desk.edges.data(), desk.edges.data() + desk.edges.count(), desk.wide.data(),
                           [](filter::Edge e) { return static_cast<Byte>(e == filter::strong ? 255 : 0); });
        })
        .then("close", [&](int w, int h) {
            Image<Byte> spread(w, h);
            filter::morph(w, h, filter::Larger{}, desk.wide.data(), spread.data());
            filter::morph(w, h, filter::Smaller{}, spread.data(), desk.closed.data());
            #pragma streamap wait
        });
    pipeline.run(picture.width(), picture.height());

    std::printf("%zu stages: smooth %016llx, edges %016llx, closed %016llx\nstrengths:", pipeline.size(),
                static_cast<unsigned long long>(fingerprint(desk.smooth)), static_cast<unsigned long long>(fingerprint(desk.edges)),
                static_cast<unsigned long long>(fingerprint(desk.closed)));
    for (long count : desk.bins)
        std::printf(" %ld", count);
    const Components components(desk.closed);
    std::printf("\n%zu components, the largest of %d pixels\n", components.sizes().size(),
                components.sizes().empty() ? 0 : *std::max_element(components.sizes().begin(), components.sizes().end()));

    std::vector<std::pair<int, Coin>> found;
    std::vector<Image<int>> votes;
    for (std::size_t k = 0; k < Scene::radii.size(); k++)
        votes.emplace_back(picture.width(), picture.height());
    for (std::size_t k = 0; k < votes.size(); k++) /* all are under way before the first is looked at */
        filter::vote(picture.width(), picture.height(), Scene::radii[k], desk.closed.data(), desk.gradients.data(), votes[k].data());
    #pragma streamap wait
    for (std::size_t k = 0; k < votes.size(); k++)
        for (auto &peak : peaks(votes[k], Scene::radii[k]))
            found.push_back(peak);
    return choose(std::move(found));
}

int main(int argc, char **argv)
{
    const int width = argc > 1 ? std::atoi(argv[1]) : 240, height = width * 3 / 4;
    int right = 0, all = 0, extra = 0;
    for (std::uint32_t seed = 1; seed <= 3; seed++) {
        Scene scene(width, height, 2463534242u + seed);
        const std::vector<Coin> found = find_coins(scene.draw());
        for (const Coin &coin : scene.coins()) {
            const auto near = std::find_if(found.begin(), found.end(), [&coin](const Coin &other) {
                return std::abs(coin.x - other.x) <= 2 && std::abs(coin.y - other.y) <= 2 && coin.radius == other.radius;
            });
            all++;
            right += near != found.end();
        }
        extra += static_cast<int>(found.size());
        for (const Coin &coin : found)
            std::printf("  coin of radius %d at %d, %d\n", coin.radius, coin.x, coin.y);
    }
    std::printf("%d of %d coins found, %d answers\n", right, all, extra);
    return right * 10 >= all * 8 ? 0 : 1;
}
