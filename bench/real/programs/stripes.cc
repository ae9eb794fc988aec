// SPDX-License-Identifier: Apache-2.0
// A hash table whose buckets share 64 locks; two threads look up, insert and erase.
//
// usage: stripes OPERATIONS
// test: 60
// x1: 60000
// x10: 600000
// x100: 6000000
// races: none
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>
struct Node {
  uint64_t key, value;
  Node* next;
};
class Table {
 public:
  explicit Table(size_t buckets) : heads_(buckets) {}
  bool insert(uint64_t k, uint64_t v) {
    std::lock_guard l(lock(k));
    Node** p = &heads_[hash(k) % heads_.size()];
    for (Node* n = *p; n; n = n->next)
      if (n->key == k) {
        n->value += v;
        return false;
      }
    *p = new Node{k, v, *p};
    return true;
  }
  uint64_t find(uint64_t k) {
    std::lock_guard l(lock(k));
    for (Node* n = heads_[hash(k) % heads_.size()]; n; n = n->next)
      if (n->key == k) return n->value;
    return 0;
  }
  bool erase(uint64_t k) {
    std::lock_guard l(lock(k));
    for (Node** p = &heads_[hash(k) % heads_.size()]; *p; p = &(*p)->next)
      if ((*p)->key == k) {
        Node* d = *p;
        *p = d->next;
        delete d;
        return true;
      }
    return false;
  }
  uint64_t sum() {
    uint64_t s = 0;
    for (Node* h : heads_)
      for (; h; h = h->next) s += h->key ^ h->value;
    return s;
  }

 private:
  static uint64_t hash(uint64_t k) {
    k ^= k >> 31;
    k *= 0x7fb5d329728ea185ull;
    return k ^ (k >> 27);
  }
  std::mutex& lock(uint64_t k) { return locks_[hash(k) % 64]; }
  std::vector<Node*> heads_;
  std::array<std::mutex, 64> locks_;
};
int main(int, char** argv) {
  const int n = atoi(argv[1]);
  Table table(1 << 15);
  auto work = [&](int id) {
    uint64_t state = 88172645463325252ull + id;
    for (int i = 0; i < n; i++) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      uint64_t key = (state % 30000) * 2 + (state & 1 ? 0 : 1);
      switch (i % 8) {
        case 0:
          table.insert(key, 1);
          break;
        case 7:
          table.erase(key * 2 + 1);
          break;
        default:
          table.find(key);
      }
    }
  };
  std::thread a(work, 1), b(work, 2);
  a.join();
  b.join();
  printf("%llu\n", (unsigned long long)(table.sum() != 1));
}
