// Without debug info functions and globals are demangled, parameters left out.
// @flags -g0
// @expect global ns::counter size 4
namespace ns {
int counter;
struct Box {
  void put(int);
};
[[gnu::noinline]] void Box::put(int n) {
  counter = n;
}
}  // namespace ns
int main() {
  ns::Box().put(3);  // @expect Write4 ns::counter = 3 at no_debug.cc:0:0 in ns::Box::put
}
