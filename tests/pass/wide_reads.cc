// Reads of 16 bytes and more that are no vectors of numbers: two pointers at once, from -O2, and
// structures that are loaded to be returned, at -O0. What is tested besides is that the IR is
// valid.
struct Ends {
  char *first, *last;
};
Ends here, there;
__int128 wide;
long counter = 7;

struct Pair {
  long a, b;
  Pair(long* p) : a(*p), b(*p + 1) {}
};
struct Mixed {
  double a;
  int b;
  Mixed(long* p) : a(1), b(static_cast<int>(*p)) {}
};

[[gnu::noinline]] void copy(Ends* from, Ends* to) {
  char* first = from->first;
  char* last = from->last;
  to->first = first;  // @expect(O2) Write16 *to
  to->last = last;
}
[[gnu::noinline]] Pair pair() {
  return Pair(&counter);
}
[[gnu::noinline]] Mixed mixed() {
  return Mixed(&counter);
}
[[gnu::noinline]] __int128 whole() {
  return wide;
}

int main() {
  copy(&here, &there);
  const Pair p = pair();       // @expect = 7 at wide_reads.cc
  const Mixed m = mixed();     // @expect = 7 at wide_reads.cc
  const __int128 w = whole();  // @expect Read16 wide
  return p.a == 7 && p.b == 8 && m.a == 1 && m.b == 7 && w == 0 ? 0 : 1;
}
