// A thread that ends leaves its filter to the next one, which has read nothing yet.
// records: rd x 0; wr x 1; rd x 1
// thread 1 records: rd x 0; rd y 0
// thread 2 records: rd x 0; rd y 0
// thread 3 records: rd x 1; rd y 0
#include <pthread.h>

#include "tiny.h"

int x, y;

UNSEEN static void* work(void* unused) {
  for (int i = 0; i < 3; i++) read_one(&x), read_one(&y), read_one(&x);
  return unused;
}

UNSEEN static void run_one(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  pthread_join(worker, NULL);
}

UNSEEN int main(void) {
  read_one(&x), read_one(&x);
  run_one();
  run_one();
  write_one(&x, 1);
  read_one(&x), read_one(&x);
  run_one();
}
