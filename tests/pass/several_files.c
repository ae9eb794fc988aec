// Each file brings its own table; sites of one are not those of the other.
// @more parts/other.c
// @expect enter - at several_files.c:6:0 in main
// @expect Write4 theirs = 1 at other.c:3:
int mine;
int main(void) {
  extern void other(void);
  other();
  mine = 2;  // @expect Write4 mine = 2 at several_files.c:@:8
}
