// SPDX-License-Identifier: Apache-2.0
// Gravity with a tree (Barnes and Hut): in each step both threads insert their bodies into one quadtree
// under a lock per cell, one computes the masses, and each then walks the tree for its bodies.
// Coordinates are integers, so that the order of insertion changes nothing.
//
// usage: tree BODIES [STEPS]
// test: 12 1
// x1: 1000 3
// x10: 7500 3
// x100: 38000 3
// races: none
#include <pthread.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 2, kWidth = 1 << 20;

struct Body {
  int64_t x, y, vx, vy;
};

struct Cell {
  std::mutex mutex;  // of body and child while the tree is built
  int64_t x, y, size;
  const Body* body = nullptr;
  std::unique_ptr<Cell> child[4];
  bool divided = false;
  int64_t mass = 0, sum_x = 0, sum_y = 0;

  Cell(int64_t left, int64_t top, int64_t width) : x(left), y(top), size(width) {}

  Cell& child_of(const Body& one) const {
    return *child[(one.x >= x + size / 2) + 2 * (one.y >= y + size / 2)];
  }

  void divide() {
    for (int i = 0; i < 4; i++) {
      child[i] = std::make_unique<Cell>(x + i % 2 * (size / 2), y + i / 2 * (size / 2), size / 2);
    }
    divided = true;
  }
};

std::vector<Body> bodies;
std::unique_ptr<Cell> root;
pthread_barrier_t barrier;
int steps = 1;

void insert(const Body& body) {
  Cell* cell = root.get();
  for (;;) {
    const std::lock_guard hold(cell->mutex);
    if (!cell->divided && cell->body == nullptr) {
      cell->body = &body;
      return;
    }
    if (!cell->divided) {
      if (cell->size <= 2) return;  // Too close to tell apart: the first one stands for both.
      cell->divide();
      Cell& below = cell->child_of(*cell->body);
      const std::lock_guard hold_below(below.mutex);
      below.body = cell->body;
      cell->body = nullptr;
    }
    cell = &cell->child_of(body);
  }
}

void weigh(Cell& cell) {
  if (cell.body != nullptr) {
    cell.mass = 1;
    cell.sum_x = cell.body->x;
    cell.sum_y = cell.body->y;
  }
  if (!cell.divided) return;
  for (const std::unique_ptr<Cell>& child : cell.child) {
    weigh(*child);
    cell.mass += child->mass;
    cell.sum_x += child->sum_x;
    cell.sum_y += child->sum_y;
  }
}

void pull(Body& body, const Cell& cell) {
  if (cell.mass == 0) return;
  const int64_t x = cell.sum_x / cell.mass - body.x, y = cell.sum_y / cell.mass - body.y;
  const int64_t square = x * x + y * y;
  if (cell.divided && cell.size * cell.size * 4 > square) {
    for (const std::unique_ptr<Cell>& child : cell.child) pull(body, *child);
    return;
  }
  body.vx += x * cell.mass * 64 / (square + 4096);
  body.vy += y * cell.mass * 64 / (square + 4096);
}

void simulate(size_t self) {
  const size_t begin = bodies.size() * self / kThreads, end = bodies.size() * (self + 1) / kThreads;
  for (int step = 0; step < steps; step++) {
    if (self == 0) root = std::make_unique<Cell>(0, 0, kWidth);
    pthread_barrier_wait(&barrier);
    for (size_t i = begin; i < end; i++) insert(bodies[i]);
    pthread_barrier_wait(&barrier);
    if (self == 0) weigh(*root);
    pthread_barrier_wait(&barrier);
    for (size_t i = begin; i < end; i++) pull(bodies[i], *root);
    pthread_barrier_wait(&barrier);
    for (size_t i = begin; i < end; i++) {
      bodies[i].x = (bodies[i].x + bodies[i].vx) & (kWidth - 1);
      bodies[i].y = (bodies[i].y + bodies[i].vy) & (kWidth - 1);
    }
    pthread_barrier_wait(&barrier);
  }
}

}  // namespace

int main(int argc, char** argv) {
  bodies.resize(argc > 1 ? strtoul(argv[1], nullptr, 10) : 12);
  steps = argc > 2 ? atoi(argv[2]) : 1;
  uint32_t state = 7;
  const auto next = [&] {
    return static_cast<int64_t>((state = state * 1664525 + 1013904223) >> 12);
  };
  for (Body& body : bodies) {
    const int64_t x = next();
    body = {x, next(), 0, 0};
  }
  pthread_barrier_init(&barrier, nullptr, kThreads);
  std::thread other(simulate, 1);
  simulate(0);
  other.join();
  int64_t sum = 0;
  for (const Body& body : bodies) sum = sum * 31 + body.x * 3 + body.y;
  std::printf("%lld\n", static_cast<long long>(sum));
}
