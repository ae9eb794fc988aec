// Code of system headers stands where the user called it, once it is inlined; before that it is
// marked, and the function's entry tells the caller.
// @levels O0 O2
#include <vector>
[[gnu::noinline]] int second(const std::vector<int>& v) {
  return v[1];
  // @expect(O0) call v at library.cc:@-1:10 in second [call]
  // @expect(O0) enter - at stl_vector.h:
  // @expect(O0) [library]
  // @expect(O2) Read4 v[1] = 5 at library.cc:6:
}
int main() {
  std::vector<int> v{4, 5};
  return second(v) == 5 ? 0 : 1;
}
