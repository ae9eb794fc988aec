// Two threads insert into a map, and one of them holds no lock. What libstdc++ does to the tree is
// recorded as well.
// expect: race * @locked-@unlocked confirmed
// run: --runs=1
#include <map>
#include <mutex>
#include <thread>

std::map<int, int> table{{1, 1}, {5, 5}};
std::mutex m;

int main() {
  std::thread inserter([] {
    std::lock_guard guard(m);
    table.erase(1);  // @locked
  });
  auto first = table.begin();  // @unlocked
  inserter.join();
  return first == table.end();
}
