// tsp: the shortest round trip by branch and bound. Threads take the beginnings of tours from a
// shared list and search each to its end, cutting what is already longer than the best tour known.
//
// usage: tsp [CITIES [THREADS]]
// test: 6 2
// speed: 10 4
//
// Self-check: the length found is that of a search in one thread.
//
// BUG(bound) every run: the length of the best tour is written under a lock but read without it.
//   Reading an old bound only costs time, which is why programs like this one do it; in C++ it is a
//   race all the same. A thread looks at the bound before it takes its first piece of work, and
//   nothing orders that look with the writes of the others.
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

constexpr int kMostCities = 16;
constexpr int kFar = 1 << 20;

int cities;
int distance[kMostCities][kMostCities];

struct Tour {
  int path[kMostCities];
  int length = 0;  // of the way so far, without the way home
  int count = 1;
  unsigned visited = 1;
};

class Search {
 public:
  Search() {
    // All ways from city 0 to two others.
    for (int a = 1; a < cities; a++) {
      for (int b = 1; b < cities; b++) {
        if (a != b) beginnings_.push_back(extend(extend(Tour{}, a), b));
      }
    }
  }

  void run() {
    const int first_bound = best_;  // BUG(bound)
    Tour tour;
    while (take(tour)) {
      if (tour.length < first_bound) finish(tour);
    }
  }

  int best() {
    std::lock_guard guard(best_lock_);
    return best_;
  }

 private:
  static Tour extend(const Tour& tour, int city) {
    Tour longer = tour;
    longer.length += distance[tour.path[tour.count - 1]][city];
    longer.path[longer.count++] = city;
    longer.visited |= 1u << city;
    return longer;
  }

  bool take(Tour& tour) {
    std::lock_guard guard(work_lock_);
    if (beginnings_.empty()) return false;
    tour = beginnings_.back();
    beginnings_.pop_back();
    return true;
  }

  void finish(const Tour& tour) {
    if (tour.length >= best_) return;  // BUG(bound)
    if (tour.count == cities) {
      offer(tour.length + distance[tour.path[cities - 1]][0]);
      return;
    }
    for (int city = 1; city < cities; city++) {
      if (!(tour.visited >> city & 1)) finish(extend(tour, city));
    }
  }

  void offer(int length) {
    std::lock_guard guard(best_lock_);
    if (length < best_) best_ = length;  // BUG(bound)
  }

  std::mutex work_lock_, best_lock_;
  std::vector<Tour> beginnings_;
  int best_ = kFar;
};

int shortest(int threads) {
  Search search;
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; i++) workers.emplace_back([&] { search.run(); });
  for (std::thread& worker : workers) worker.join();
  return search.best();
}

int argument(int argc, char** argv, int which, int fallback) {
  return which < argc ? std::atoi(argv[which]) : fallback;
}

int main(int argc, char** argv) {
  cities = argument(argc, argv, 1, 8);
  const int threads = argument(argc, argv, 2, 4);
  if (cities < 4 || cities > kMostCities) return 2;

  unsigned random = 7;
  for (int a = 0; a < cities; a++) {
    for (int b = 0; b < a; b++) {
      random = random * 1103515245u + 12345u;
      distance[a][b] = distance[b][a] = 10 + static_cast<int>(random >> 16) % 90;
    }
  }
  const int length = shortest(threads);
  std::printf("tsp: %d cities, %d\n", cities, length);
  return length == shortest(1) ? 0 : 1;
}
