// The destructor of thread-specific data runs at the end of its thread,
// unordered with what main does before it joins.
// expect: race total @add-@read confirmed
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
  if (total > 3) puts("never");  // @read
  pthread_join(worker, NULL);
  puts("done");
}
