// Instrumented once, when compiled.
// @flags -flto=thin
// @count 1 Write4 mine
// @more parts/other.c
// @expect enter - at thin_lto.c:8:0 in main
// @expect Write4 theirs = 1 at other.c:3:
int mine;
int main(void) {
  extern void other(void);
  other();
  mine = 2;  // @expect Write4 mine = 2 at thin_lto.c:@:8
}
