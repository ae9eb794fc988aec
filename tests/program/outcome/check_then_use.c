// A pointer is tested and then followed; the second read of it is no step of its own. The other
// thread takes it away in between.
// flags: -O0
// expect: race p @check-@take confirmed
// consequence: is killed by SIGSEGV
#include <pthread.h>

int v, *p = &v;

void* use(void* unused) {
  if (p)  // @check
    return (void*)(long)*p;
  return unused;
}

void* take(void* unused) {
  p = 0;  // @take
  return unused;
}

int main(void) {
  pthread_t s, t;
  pthread_create(&s, NULL, use, NULL);
  pthread_create(&t, NULL, take, NULL);
  pthread_join(s, NULL);
  pthread_join(t, NULL);
}
