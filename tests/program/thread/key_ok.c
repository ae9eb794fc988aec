// The destructor of thread-specific data runs at the end of its thread,
// before the join returns.
// expect: none
// output: done
#include <pthread.h>
#include <stdio.h>

pthread_key_t key;
int part = 3, total;

void add(void* value) {
  total += *(int*)value;  // @add
}

void* work(void* unused) {
  (void)unused;
  pthread_setspecific(key, &part);
  return NULL;
}

int main(void) {
  pthread_t worker;
  pthread_key_create(&key, add);
  pthread_create(&worker, NULL, work, NULL);
  pthread_join(worker, NULL);
  if (total > 3) puts("never");  // @read
  puts("done");
}
