// A chained hash map with a lock for every 64th of its buckets, counted into by two threads: short
// critical sections, pointer chasing, allocation.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

struct Node {
  uint64_t key;
  uint64_t count;
  Node* next;
};

class Map {
 public:
  explicit Map(size_t buckets) : buckets_(buckets) {}

  void add(uint64_t key) {
    const size_t at = (key * 0x9e3779b97f4a7c15) % buckets_.size();
    std::lock_guard guard(locks_[at % kStripes]);
    for (Node* node = buckets_[at]; node; node = node->next) {
      if (node->key == key) {
        node->count++;
        return;
      }
    }
    buckets_[at] = new Node{key, 1, buckets_[at]};
  }

  uint64_t sum() const {
    uint64_t sum = 0;
    for (const Node* node : buckets_) {
      for (; node; node = node->next) sum += node->key * node->count;
    }
    return sum;
  }

 private:
  static constexpr size_t kStripes = 64;
  std::vector<Node*> buckets_;
  std::mutex locks_[kStripes];
};

}  // namespace

int main(int argc, char** argv) {
  const long count = argc > 1 ? atol(argv[1]) : 1500000;
  Map map(1 << 14);
  const auto work = [&](uint64_t random) {
    for (long i = 0; i < count; i++) {
      random = random * 6364136223846793005 + 1442695040888963407;
      map.add(random >> 48);
    }
  };
  std::thread other(work, 1);
  work(2);
  other.join();
  printf("%llx\n", static_cast<unsigned long long>(map.sum()));
  return 0;
}
