// SPDX-License-Identifier: Apache-2.0
// Clustering of a stream of points: they come in chunks; for each chunk both threads find the distance of
// their points to the centers chosen so far, one decides which far points become centers, and both then
// try, under a barrier each, whether a center could be closed. Sums are integers.
//
// usage: cluster POINTS
// test: 24
// x1: 10000
// x10: 100000
// x100: 1000000
// races: none
#include <pthread.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 2, kDimensions = 16, kChunk = 256, kMostCenters = 48;

struct Point {
  int32_t at[kDimensions];
};

struct Center {
  Point point;
  int64_t members;
  bool open;
};

size_t count = 24;
std::vector<Point> chunk;
std::vector<int64_t> distances;
std::vector<size_t> nearest;
std::vector<Center> centers;
int64_t gains[kThreads];
int64_t limit = 60000;
uint32_t state = 3;
pthread_barrier_t barrier;

int64_t square_distance(const Point& a, const Point& b) {
  int64_t sum = 0;
  for (int i = 0; i < kDimensions; i++) {
    const int64_t one = a.at[i] - b.at[i];
    sum += one * one;
  }
  return sum;
}

void read_chunk(size_t size) {
  chunk.resize(size);
  distances.assign(size, INT64_MAX);
  nearest.assign(size, 0);
  for (Point& point : chunk) {
    for (int32_t& value : point.at) {
      state = state * 1664525 + 1013904223;
      value = static_cast<int32_t>(state >> 24);
    }
  }
}

void assign(size_t begin, size_t end) {
  for (size_t i = begin; i < end; i++) {
    for (size_t k = 0; k < centers.size(); k++) {
      if (!centers[k].open) continue;
      const int64_t one = square_distance(chunk[i], centers[k].point);
      if (one < distances[i]) {
        distances[i] = one;
        nearest[i] = k;
      }
    }
  }
}

// A point becomes a center in the place of one that was closed, or in a new one.
bool open_center(const Point& point) {
  for (Center& center : centers) {
    if (center.open) continue;
    center = {point, 1, true};
    return true;
  }
  if (centers.size() == kMostCenters) return false;
  centers.push_back({point, 1, true});
  return true;
}

void open_centers() {
  for (size_t i = 0; i < chunk.size(); i++) {
    if (distances[i] <= limit || !open_center(chunk[i])) {
      centers[nearest[i]].members++;
    }
  }
}

int64_t gain_of_closing(size_t candidate, size_t begin, size_t end) {
  int64_t gain = 0;
  for (size_t i = begin; i < end; i++) {
    if (nearest[i] == candidate)
      gain += limit - square_distance(chunk[i], centers[candidate].point);
  }
  return gain;
}

void cluster(size_t self) {
  for (size_t done = 0; done < count; done += kChunk) {
    const size_t size = count - done < kChunk ? count - done : kChunk;
    const size_t begin = size * self / kThreads, end = size * (self + 1) / kThreads;
    if (self == 0) read_chunk(size);
    pthread_barrier_wait(&barrier);
    assign(begin, end);
    pthread_barrier_wait(&barrier);
    if (self == 0) open_centers();
    pthread_barrier_wait(&barrier);
    const size_t candidate = done / kChunk % centers.size();
    gains[self] = gain_of_closing(candidate, begin, end);
    pthread_barrier_wait(&barrier);
    if (self == 0 && centers.size() > 1 && gains[0] + gains[1] < 0) centers[candidate].open = false;
    pthread_barrier_wait(&barrier);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) count = strtoul(argv[1], nullptr, 10);
  pthread_barrier_init(&barrier, nullptr, kThreads);
  std::thread other(cluster, 1);
  cluster(0);
  other.join();
  int64_t sum = 0;
  for (const Center& center : centers) sum = sum * 31 + center.members * 2 + center.open;
  std::printf("%zu centers, %lld\n", centers.size(), static_cast<long long>(sum));
}
