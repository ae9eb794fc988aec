// The resolver of an ifunc runs before there is a thread to record for.
int chosen, x;
static int helper(void) {
  chosen = 1;
  return 0;
}
static void plain(void) {
  x = 1, x += 2;  // @expect Write4 x
}
static void (*resolve(void))(void) {
  helper();
  return plain;
}
void work(void) __attribute__((ifunc("resolve")));
int main(void) {
  work();
  return chosen - 1;  // @expect Read4 chosen = 1
}
// @never Write4 chosen
