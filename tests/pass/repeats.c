// A read that repeats one before it, with nothing but reads between, is recorded once; a write, a
// call or volatile ends that. Writes are always recorded.
// @levels O0
int x, y;
volatile int v;
int a, b;
__attribute__((noinline)) void call(void) {}
int main(void) {
  // @expect repeated 2
  (void)(x + y + x + x);  // @count 1 :@:10 in main
  // @count 1 :@-1:14 in main
  // @count 0 :@-2:18 in main
  // @count 0 :@-3:22 in main
  y = 1;
  (void)x;  // @count 1 Read4 x = 0 at repeats.c:@:9
  call();
  (void)x;  // @count 1 Read4 x = 0 at repeats.c:@:9
  (void)v;
  (void)v;  // @count 2 Read4 v
  a = 1;
  a = 1;  // @count 2 Write4 a = 1
  return b;
}
