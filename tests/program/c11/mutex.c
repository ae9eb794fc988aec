// C11 threads without a lock.
// expect: race x @write-@write confirmed
// output: 2
#include <stdio.h>
#include <threads.h>

mtx_t m;
int x;

int work(void* unused) {
  (void)unused;
  x++;  // @write
  return 1;
}

int main(void) {
  thrd_t a, b;
  int one, two;
  mtx_init(&m, mtx_plain);
  thrd_create(&a, work, NULL);
  thrd_create(&b, work, NULL);
  thrd_join(a, &one);
  thrd_join(b, &two);
  printf("%d\n", one + two);
}
