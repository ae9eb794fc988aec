// C11 condition; the data follows the signal.
// expect: race data @write-@read confirmed
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
  mtx_lock(&m);
  ready = true;
  cnd_signal(&changed);
  mtx_unlock(&m);
  data = 1;  // @write
  thrd_join(consumer, NULL);
  puts("done");
}
