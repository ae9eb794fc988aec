// C11 condition; the data goes before the signal.
// expect: none
// output: done
#include <stdbool.h>
#include <stdio.h>
#include <threads.h>

mtx_t m;
cnd_t changed;
bool ready;
int data;

int consume(void* unused) {
  (void)unused;
  mtx_lock(&m);
  while (!ready) cnd_wait(&changed, &m);
  mtx_unlock(&m);
  if (data > 1) puts("never");  // @read
  return 0;
}

int main(void) {
  thrd_t consumer;
  mtx_init(&m, mtx_plain);
  cnd_init(&changed);
  thrd_create(&consumer, consume, NULL);
  data = 1;  // @write
  mtx_lock(&m);
  ready = true;
  cnd_signal(&changed);
  mtx_unlock(&m);
  thrd_join(consumer, NULL);
  puts("done");
}
