// Both halves are summed into one variable.
// expect: race sum @left-@right confirmed
// output: done
#include <cstdio>
#include <future>

int numbers[4] = {1, 2, 3, 4};
int sum;

int main() {
  auto half = std::async(std::launch::async, [] { sum += numbers[0] + numbers[1]; });  // @left
  sum += numbers[2] + numbers[3];                                                      // @right
  half.get();
  puts("done");
}
