// A cancelled thread runs its cleanup handler before it ends,
// and main looks at what the handler writes before it has joined.
// expect: race cleaned @write-@read confirmed
// output: done
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int cleaned;

void clean(void* unused) {
  (void)unused;
  cleaned = 1;  // @write
}

void* work(void* unused) {
  pthread_cleanup_push(clean, unused);
  for (;;) pause();
  pthread_cleanup_pop(0);
  return NULL;
}

int main(void) {
  pthread_t worker;
  void* value;
  pthread_create(&worker, NULL, work, NULL);
  pthread_cancel(worker);
  if (cleaned > 1) puts("never");  // @read
  pthread_join(worker, &value);
  puts(value == PTHREAD_CANCELED ? "done" : "not cancelled");
}
