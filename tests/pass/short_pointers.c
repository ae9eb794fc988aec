// Pointers of 4 bytes, alone and, from -O2, four at a time.
// @flags -fms-extensions
typedef int* __ptr32 Short;
Short one, from[64], to[64];
int after = 7;

__attribute__((noinline)) void copy(void) {
  for (int i = 0; i < 64; i++) to[i] = from[i] ? from[i] : (Short)8UL;
  // @expect(O2) Read16 from = 0
}

int main(void) {
  one = (Short)(unsigned long)20;
  if (!one) return 1;  // @expect(O0) Read4 one = 20
  copy();
  return after != 7;  // @expect Read4 after = 7
}
