// What an intercepted function finds in call_site: the first pointer argument, without &.
#include <stdlib.h>
struct Queue {
  int head;
  int lock;
} queue;
int m;
void intercepted(const void*);
__attribute__((noinline)) void use(struct Queue* q, int* lock) {
  intercepted(&m);        // @expect intercepted m at call_sites.c:@:3 in use [call]
  intercepted(&q->lock);  // @expect intercepted q->lock at call_sites.c:@:3 in use [call]
  intercepted(lock);      // @expect intercepted lock at call_sites.c:@:3
  intercepted(&queue.lock);  // @expect intercepted queue.lock at
  intercepted(&queue);       // @expect intercepted queue at
}
int main(void) {
  struct Queue* q = malloc(sizeof *q);
  use(q, &q->lock);
  free(q);
}
