// A shared library registers its own table.
// @shared parts/other.c
// @expect enter - at shared_library.c:6:0 in main
// @expect Write4 theirs = 1 at other.c:3:
int mine;
int main(void) {
  extern void other(void);
  other();
  mine = 2;  // @expect Write4 mine = 2 at shared_library.c:@:8
}
