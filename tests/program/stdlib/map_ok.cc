// Maps and lists that threads fill under one lock.
// expect: none
#include <list>
#include <map>
#include <mutex>
#include <thread>

std::map<int, int> table;
std::list<int> order;
std::mutex m;

void fill(int begin) {
  for (int i = begin; i < begin + 3; ++i) {
    std::lock_guard guard(m);
    table[i] = i;
    order.push_back(i);
    if (i == begin + 1) {
      table.erase(begin);
      order.pop_front();
    }
  }
}

int main() {
  std::thread low(fill, 0), high(fill, 10);
  low.join();
  high.join();
  int sum = 0;
  for (const auto& [key, value] : table) sum += value;
  return sum > 100 || order.size() != 4;
}
