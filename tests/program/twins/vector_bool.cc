// Elements of a vector of bits share a word.
// twin: -DORDERED
// expect: race * confirmed
#include <thread>
#include <vector>
#ifndef ORDERED
std::vector<bool> v(8);
#else
std::vector<char> v(8);
#endif
int main() {
  std::thread a([] { v[0] = true; }), b([] { v[1] = true; });
  a.join();
  b.join();
  return !(v[0] && v[1]);
}
