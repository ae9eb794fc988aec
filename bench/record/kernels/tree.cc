// A binary search tree under a readers-writer lock: two threads look keys up and now and then
// insert one.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {

struct Node {
  uint32_t key;
  Node* less = nullptr;
  Node* greater = nullptr;
};

class Tree {
 public:
  void insert(uint32_t key) {
    std::unique_lock guard(lock_);
    Node** at = &root_;
    while (*at) {
      if ((*at)->key == key) return;
      at = key < (*at)->key ? &(*at)->less : &(*at)->greater;
    }
    *at = new Node{key};
  }

  bool contains(uint32_t key) {
    std::shared_lock guard(lock_);
    const Node* at = root_;
    while (at && at->key != key) at = key < at->key ? at->less : at->greater;
    return at != nullptr;
  }

  uint64_t sum() const { return sum(root_, 1); }

 private:
  // Of the keys only: the shape depends on the order of insertions.
  static uint64_t sum(const Node* node, uint64_t factor) {
    return node ? node->key * factor + sum(node->less, factor) + sum(node->greater, factor) : 0;
  }

  std::shared_mutex lock_;
  Node* root_ = nullptr;
};

uint32_t scramble(uint32_t i) {
  return i * 2654435761u;
}

}  // namespace

int main(int argc, char** argv) {
  const uint32_t lookups = argc > 1 ? static_cast<uint32_t>(atol(argv[1])) : 1000000;
  constexpr uint32_t kFirst = 20000;
  Tree tree;
  for (uint32_t i = 0; i < kFirst; i++) tree.insert(scramble(i));
  uint64_t found[2] = {};
  const auto work = [&](uint32_t me) {
    for (uint32_t i = 0; i < lookups; i++) {
      found[me] += tree.contains(scramble(i * 7 % kFirst));
      if (i % 64 == 0) tree.insert(scramble(kFirst + i / 64 * 2 + me));
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  printf("%llu %llx\n", static_cast<unsigned long long>(found[0] + found[1]),
         static_cast<unsigned long long>(tree.sum()));
  return 0;
}
