// A stack that threads push onto by compare and exchange.
// expect: none
// output: done
#include <atomic>
#include <cstdio>
#include <thread>

struct Node {
  Node* next;
  int value;
};
std::atomic<Node*> top;
Node nodes[2];

void push(Node* node) {
  node->value = 1;  // @fill
  node->next = top.load(std::memory_order_relaxed);
  while (!top.compare_exchange_weak(node->next, node, std::memory_order_release)) continue;
}

int main() {
  std::thread a(push, &nodes[0]), b(push, &nodes[1]);
  int sum = 0;
  for (Node* at = top.load(std::memory_order_acquire); !at;) at = top.load();
  for (Node* at = top.load(); at; at = at->next) sum += at->value;  // @read
  if (sum > 2) puts("never");
  a.join();
  b.join();
  puts("done");
}
