// Two work queues on atomics: a thread takes tasks from its own and, when that is empty, from the
// other's. Atomic read-modify-writes with a little arithmetic and a table in between.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

struct alignas(64) Queue {
  std::atomic<long> next{0};
  long end = 0;
};

// Length of the Collatz sequence, short ones from the table.
uint32_t collatz(uint64_t n, const std::vector<uint16_t>& table) {
  uint32_t length = 0;
  while (n >= table.size()) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    length++;
  }
  return length + table[n];
}

}  // namespace

int main(int argc, char** argv) {
  const long count = argc > 1 ? atol(argv[1]) : 2000000;
  std::vector<uint16_t> table(1 << 12);
  for (size_t i = 2; i < table.size(); i++) {
    uint16_t length = 0;
    for (uint64_t n = i; n != 1; n = n % 2 ? 3 * n + 1 : n / 2) length++;
    table[i] = length;
  }
  Queue queues[2];
  queues[0].end = count / 4;  // unequal, so that there is something to steal
  queues[1].next = count / 4;
  queues[1].end = count;
  std::atomic<uint64_t> total{0};
  std::vector<uint32_t> lengths(static_cast<size_t>(count));
  const auto work = [&](int me) {
    uint64_t sum = 0;
    for (int from : {me, 1 - me}) {
      for (;;) {
        const long task = queues[from].next.fetch_add(1, std::memory_order_acq_rel);
        if (task >= queues[from].end) break;
        lengths[static_cast<size_t>(task)] = collatz(static_cast<uint64_t>(task) + 1, table);
        sum += lengths[static_cast<size_t>(task)];
      }
    }
    total.fetch_add(sum);
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  uint64_t check = 0;
  for (uint32_t length : lengths) check = check * 31 + length;
  printf("%llu %llx\n", static_cast<unsigned long long>(total.load()),
         static_cast<unsigned long long>(check));
  return 0;
}
