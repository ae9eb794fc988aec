// The flag of call_once is reset by hand, so it runs twice.
// expect: race table @make-@make confirmed
// output: done
#include <stdio.h>
#include <threads.h>

once_flag flags[2] = {ONCE_FLAG_INIT, ONCE_FLAG_INIT};
tss_t key;
int table, ended[2];

void make(void) {
  table = 1;  // @make
}

void at_end(void* place) {
  *(int*)place = 1;
}

int use(void* place) {
  call_once(&flags[(int*)place - ended], make);
  tss_set(key, place);
  return 0;
}

int main(void) {
  thrd_t a, b;
  tss_create(&key, at_end);
  thrd_create(&a, use, &ended[0]);
  thrd_create(&b, use, &ended[1]);
  thrd_join(a, NULL);
  thrd_join(b, NULL);
  puts(ended[0] + ended[1] == 2 ? "done" : "not ended");
}
