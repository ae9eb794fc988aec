// A spin lock in inline assembly.
// expect: none
// output: done
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

int word, data;

int exchange(int* at, int value) {
  __asm__ __volatile__("xchgl %0, %1" : "+r"(value), "+m"(*at) : : "memory");
  return value;
}

void* work(void* unused) {
  for (int i = 0; i < 3; i++) {
    while (exchange(&word, 1)) sched_yield();
    data++;
    __asm__ __volatile__("movl $0, %0" : "=m"(word) : : "memory");
  }
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  puts(data == 6 ? "done" : "lost");
}
