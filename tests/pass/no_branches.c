// Branches are not recorded unless asked for.
// @never Branch
// @expect Read4 x = 0
volatile int x;
int main(void) {
  if (x == 0) x = 1;
  return 0;
}
