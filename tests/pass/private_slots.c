// A stack slot that nobody else can reach is not recorded, one whose address is given away is.
// @levels O0 O1
// @expect(O0) module
// @never Write4 mine
// @never Read4 mine
__attribute__((noinline)) void give(int* p) {
  *p = 2;
}
int main(void) {
  volatile int mine = 1;
  int shared = 1;  // @expect(O0) Write4 shared = 1
  give(&shared);  // @expect Write4 *p = 2
  mine = mine + 1;
  return shared + mine - 4;  // @expect Read4 shared = 2
}
