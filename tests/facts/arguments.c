// Pointers among arguments that have no names, and in assembly.
// unshared: global quiet
// shared: global first
// shared: global second
// shared: global in_assembly
// unknown: assembly
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

int first, second, in_assembly, quiet;
static int *chosen;

__attribute__((noinline)) static void choose(int count, ...) {
  va_list list;
  va_start(list, count);
  for (int i = 0; i < count; i++) chosen = va_arg(list, int *);
  va_end(list);
}

static void *work(void *argument) {
  ++*chosen;
  __asm__ volatile("lock; incl in_assembly(%%rip)" : : : "memory");
  return argument;
}

int main(void) {
  choose(2, &first, &second);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  first++;
  pthread_join(thread, NULL);
  quiet = second;
  printf("%d %d %d\n", first, quiet, in_assembly);
  return 0;
}
