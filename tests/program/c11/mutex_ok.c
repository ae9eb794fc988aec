// C11 threads with a C11 mutex.
// expect: none
// output: 2
#include <stdio.h>
#include <threads.h>

mtx_t m;
int x;

int work(void* unused) {
  (void)unused;
  mtx_lock(&m);
  x++;  // @write
  mtx_unlock(&m);
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
