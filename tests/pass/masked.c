// Lanes of a masked vector access that are off are not touched.
// @levels O2
// @flags -mavx2
int a[64], n[64] = {1, 0, 1, 0, 0, 0, 0, 0};
__attribute__((noinline)) void some(int count) {
  for (int i = 0; i < count; i++)
    if (n[i]) a[i] = i;
}
int main(void) {
  if (!__builtin_cpu_supports("avx2")) return 0;
  some(64);
  return a[2] == 2 ? 0 : 1;
}
// @count 2 WriteRange a[...] size 4
