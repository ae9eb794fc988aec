// The exit stands before a call that must be a tail call.
// @expect enter - at musttail.cc:11:0 in jump
// @expect exit - at musttail.cc:11:0 in jump
// @expect call p at musttail.cc:12:
// @expect enter - at musttail.cc:7:0 in target
int x;
[[gnu::noinline]] int target(int* p) {
  *p = 1, x = 2;
  return 0;
}
[[gnu::noinline]] int jump(int* p) {
  [[clang::musttail]] return target(p);
}
int main() {
  return jump(&x);
}
