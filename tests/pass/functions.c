// Entries name their call; a function with one access and no call has none.
// @expect enter - at functions.c:12:0 in main [function]
// @expect call x at functions.c:13:
// @expect enter - at functions.c:9:0 in twice [function]
// @expect exit - at functions.c:9:0 in twice [function]
// @expect exit - at functions.c:12:0 in main [function]
// @never in once [function]
int x;
__attribute__((noinline)) void twice(int* p, int* q) { *p = 1, *q = 2; }
__attribute__((noinline)) void once(void) { x = 1; }

int main(void) {
  twice(&x, &x);
  once();
}
