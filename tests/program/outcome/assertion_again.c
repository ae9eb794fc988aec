// Further runs show the failure that the first one predicts, with other threads doing the last step
// before it. That is one finding, not one for every way there.
// run: --runs=60
// flags: -O0
// expect: nondeterminism b @read confirmed
// consequence: Assertion `!first || second' failed.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int a, b;

void* write_both(void* unused) {
  pthread_mutex_lock(&m);
  a = 1;
  pthread_mutex_unlock(&m);
  pthread_mutex_lock(&m);
  b = 2;
  pthread_mutex_unlock(&m);
  return unused;
}

void* read_both(void* unused) {
  pthread_mutex_lock(&m);
  int first = a;
  int second = b;  // @read
  pthread_mutex_unlock(&m);
  assert(!first || second);
  return unused;
}

int main(void) {
  pthread_t writer, reader;
  pthread_create(&writer, NULL, write_both, NULL);
  pthread_create(&reader, NULL, read_both, NULL);
  pthread_join(writer, NULL);
  pthread_join(reader, NULL);
}
