// bucketmap: a hash map with a fixed number of buckets, each with a lock of its own, and a driver
// that puts, adds, erases and looks up from several threads while others take statistics and a
// dump.
//
// usage: bucketmap [OPERATIONS [THREADS [BUCKETS]]]
// test: 40 2 8
//
// Self-check: the sum of all values and the number of keys are those of the operations done.
//
// BUG(size) every run: size() reads the size of each bucket without its lock.
// BUG(changes) every run: the count of changes is bumped outside of the bucket's lock.
// BUG(iterate) every run: for_each() walks the chains without their locks. (Erased nodes are kept
//   until the end, so it walks over stale nodes, never over freed ones.)
//
// Happens-before sees these in nearly every run: the threads of statistics and dump take no lock,
// so that nothing but their creation orders them.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

class BucketMap {
 public:
  explicit BucketMap(int buckets) : buckets_(static_cast<size_t>(buckets)) {}

  // Adds to the value of the key, which is 0 if there was none; returns the new value.
  long add(int key, long amount) {
    Bucket& bucket = bucket_of(key);
    changes_++;  // BUG(changes)
    std::lock_guard guard(bucket.lock);
    for (Node* node = bucket.first; node; node = node->next) {
      if (node->key == key) return node->value += amount;  // BUG(iterate)
    }
    bucket.owned.push_back(std::make_unique<Node>(Node{key, amount, bucket.first}));
    bucket.first = bucket.owned.back().get();  // BUG(iterate)
    bucket.size++;                             // BUG(size)
    return amount;
  }

  long get(int key) {
    Bucket& bucket = bucket_of(key);
    std::lock_guard guard(bucket.lock);
    for (const Node* node = bucket.first; node; node = node->next) {
      if (node->key == key) return node->value;
    }
    return 0;
  }

  // Returns the value that is gone.
  long erase(int key) {
    Bucket& bucket = bucket_of(key);
    changes_++;  // BUG(changes)
    std::lock_guard guard(bucket.lock);
    for (Node** link = &bucket.first; *link; link = &(*link)->next) {
      Node* node = *link;
      if (node->key != key) continue;
      *link = node->next;  // BUG(iterate)
      bucket.size--;       // BUG(size)
      return node->value;
    }
    return 0;
  }

  // As many keys as the buckets say at some moment each.
  int size() const {
    int sum = 0;
    for (const Bucket& bucket : buckets_) sum += bucket.size;  // BUG(size)
    return sum;
  }

  template <class Visit>
  void for_each(Visit visit) const {
    for (const Bucket& bucket : buckets_) {
      for (const Node* node = bucket.first; node;  // BUG(iterate)
           node = node->next) {                    // BUG(iterate)
        visit(node->key, node->value);             // BUG(iterate)
      }
    }
  }

  long changes() const {
    return changes_;  // BUG(changes)
  }

 private:
  struct Node {
    int key;
    long value;
    Node* next;
  };
  struct Bucket {
    std::mutex lock;
    Node* first = nullptr;
    int size = 0;
    std::vector<std::unique_ptr<Node>> owned;
  };

  Bucket& bucket_of(int key) {
    return buckets_[static_cast<unsigned>(key) * 2654435761u % buckets_.size()];
  }

  std::vector<Bucket> buckets_;
  long changes_ = 0;
};

constexpr int kShared = 16;  // keys 0 to 15 are everybody's, the others belong to one thread

struct Total {
  long sum = 0;
  int keys = 0;
};

Total drive(BucketMap& map, int me, int operations) {
  Total mine;
  unsigned random = 12345u + static_cast<unsigned>(me);
  for (int i = 0; i < operations; i++) {
    random = random * 1103515245u + 12345u;
    const int own = kShared + me * operations + i;
    switch (random >> 16 & 3) {
      case 0:
        map.add(static_cast<int>(random >> 20) % kShared, 1);
        mine.sum += 1;
        break;
      case 1:
        map.add(own, i);
        mine.sum += i;
        mine.keys++;
        break;
      case 2:
        map.add(own, i);
        if (map.erase(own) != i) std::exit(1);
        break;
      default:
        if (map.get(own) != 0) std::exit(1);
    }
  }
  return mine;
}

int argument(int argc, char** argv, int which, int fallback) {
  return which < argc ? std::atoi(argv[which]) : fallback;
}

int main(int argc, char** argv) {
  const int operations = argument(argc, argv, 1, 800);
  const int threads = argument(argc, argv, 2, 4);
  const int buckets = argument(argc, argv, 3, 64);

  BucketMap map(buckets);
  for (int key = 0; key < kShared; key++) map.add(key, 0);
  std::vector<Total> totals(static_cast<size_t>(threads));
  std::vector<std::thread> drivers;
  for (int i = 0; i < threads; i++) {
    drivers.emplace_back([&, i] { totals[static_cast<size_t>(i)] = drive(map, i, operations); });
  }
  volatile long seen = 0, dumped = 0;
  std::thread statistics([&] { seen = map.size() + map.changes(); });
  std::thread dump([&] {
    long sum = 0;
    map.for_each([&](int, long value) { sum += value; });
    dumped = sum;
  });
  for (std::thread& driver : drivers) driver.join();
  statistics.join();
  dump.join();

  Total expected;
  for (const Total& total : totals) {
    expected.sum += total.sum;
    expected.keys += total.keys;
  }
  long sum = 0;
  map.for_each([&](int, long value) { sum += value; });
  std::printf("bucketmap: %d keys, sum %ld\n", map.size(), sum);
  return sum == expected.sum && map.size() == expected.keys + kShared ? 0 : 1;
}
