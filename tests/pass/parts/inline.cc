inline int shared_counter;
template <class T>
[[gnu::noinline]] inline void bump(T& t) {
  t += 1;
}
void other() {
  bump(shared_counter);
}
