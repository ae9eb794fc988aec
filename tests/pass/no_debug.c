// Without debug info: the source file, line 0, and what the names of globals give.
// @flags -g0
// @expect global counter size 4 fields ''
int counter;
static volatile int other;
int main(void) {
  counter = 3;  // @expect Write4 counter = 3 at no_debug.c:0:0 in main
  other = 4;    // @expect Write4 other = 4 at no_debug.c:0:0
}
