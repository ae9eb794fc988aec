// Functions and variables that several files define.
// @more parts/inline.cc
inline int shared_counter;
template <class T>
[[gnu::noinline]] inline void bump(T& t) {
  t += 1;
}
void other();
int main() {
  bump(shared_counter);  // @expect Write4 t = 1
  other();               // @expect Write4 t = 2
}
