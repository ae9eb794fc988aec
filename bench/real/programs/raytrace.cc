// SPDX-License-Identifier: Apache-2.0
// A ray tracer: spheres and a floor under one light. Threads take tiles from a queue under a mutex,
// and write the pixels of their tile.
//
// usage: raytrace WIDTH
// test: 16
// x1: 256
// x10: 800
// x100: 2530
// races: none
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace {

constexpr int kTile = 8, kDepth = 3;

struct Vector {
  double x, y, z;
};
Vector operator+(Vector a, Vector b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Vector operator-(Vector a, Vector b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Vector operator*(double k, Vector a) {
  return {k * a.x, k * a.y, k * a.z};
}
double dot(Vector a, Vector b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
Vector unit(Vector a) {
  return (1 / std::sqrt(dot(a, a))) * a;
}

struct Sphere {
  Vector center;
  double radius, mirror;
};

struct Tile {
  int left, top;
};

std::vector<Sphere> spheres;
const Vector kLight = unit({1, 2, -1});
int width = 8;
std::vector<unsigned char> picture;
std::mutex tiles_mutex;
std::deque<Tile> tiles;

std::optional<double> hit(const Sphere& sphere, Vector from, Vector direction) {
  const Vector to = sphere.center - from;
  const double along = dot(to, direction);
  const double square = sphere.radius * sphere.radius - dot(to, to) + along * along;
  if (square < 0) return {};
  const double distance = along - std::sqrt(square);
  if (distance < 1e-6) return {};
  return distance;
}

const Sphere* nearest(Vector from, Vector direction, double& distance) {
  const Sphere* found = nullptr;
  for (const Sphere& sphere : spheres) {
    const std::optional<double> one = hit(sphere, from, direction);
    if (one && (found == nullptr || *one < distance)) {
      found = &sphere;
      distance = *one;
    }
  }
  return found;
}

double shade(Vector from, Vector direction, int depth) {
  double distance = 0;
  const Sphere* const sphere = nearest(from, direction, distance);
  if (sphere == nullptr) return direction.y > 0 ? 0.5 + direction.y / 2 : 0.2;
  const Vector at = from + distance * direction;
  const Vector normal = unit(at - sphere->center);
  double ignored = 0;
  double light = nearest(at, kLight, ignored) == nullptr ? std::fmax(0, dot(normal, kLight)) : 0.1;
  if (depth > 0) {
    const Vector mirrored = direction - 2 * dot(direction, normal) * normal;
    light = (1 - sphere->mirror) * light + sphere->mirror * shade(at, mirrored, depth - 1);
  }
  return light;
}

void draw(Tile tile) {
  for (int y = tile.top; y < tile.top + kTile && y < width; y++) {
    for (int x = tile.left; x < tile.left + kTile && x < width; x++) {
      const Vector direction = unit({2.0 * x / width - 1, 1 - 2.0 * y / width, 1.5});
      picture[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)] =
          static_cast<unsigned char>(255 * std::fmin(1, shade({0, 0, -3}, direction, kDepth)));
    }
  }
}

void work() {
  for (;;) {
    Tile tile;
    {
      const std::lock_guard hold(tiles_mutex);
      if (tiles.empty()) return;
      tile = tiles.front();
      tiles.pop_front();
    }
    draw(tile);
  }
}

}  // namespace

int main(int argc, char** argv) {
  width = argc > 1 ? atoi(argv[1]) : 8;
  picture.resize(static_cast<size_t>(width) * static_cast<size_t>(width));
  for (int i = 0; i < 24; i++) {
    spheres.push_back({{i % 5 - 2.0, i / 5 - 2.0, i % 3 + 1.0}, 0.3 + 0.02 * i, 0.1 * (i % 7)});
  }
  for (int y = 0; y < width; y += kTile) {
    for (int x = 0; x < width; x += kTile) tiles.push_back({x, y});
  }
  std::thread other(work);
  work();
  other.join();
  unsigned long sum = 0;
  for (const unsigned char pixel : picture) sum = sum * 31 + pixel;
  std::printf("%lx\n", sum);
}
