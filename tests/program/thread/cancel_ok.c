// A cancelled thread runs its cleanup handler before it ends,
// and joining the thread orders what the handler writes before main's look at it.
// expect: none
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
  pthread_join(worker, &value);
  if (cleaned > 1) puts("never");  // @read
  puts(value == PTHREAD_CANCELED ? "done" : "not cancelled");
}
