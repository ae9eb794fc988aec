// Each half is summed on its own and returned through its future.
// expect: none
// output: done
#include <cstdio>
#include <future>

int numbers[4] = {1, 2, 3, 4};
int sum;

int main() {
  auto half = std::async(std::launch::async, [] { return numbers[0] + numbers[1]; });
  sum = numbers[2] + numbers[3];
  sum += half.get();
  puts("done");
}
