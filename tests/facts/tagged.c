// Pointers that travel as numbers: tagged, and mixed with others.
// unshared: global quiet
// shared: heap malloc
// shared: heap calloc
// no unknown
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uintptr_t tagged, mixed;
static volatile int quiet;

static void *work(void *key) {
  int *first = (int *)(tagged & ~(uintptr_t)1);
  int *second = (int *)(mixed ^ (uintptr_t)key);
  *first += 1;
  *second += 1;
  return NULL;
}

int main(void) {
  int *first = malloc(4), *second = calloc(1, 4);
  uintptr_t key = 0x5a5a;
  *first = 1;
  tagged = (uintptr_t)first | 1;
  mixed = (uintptr_t)second ^ key;
  pthread_t thread;
  pthread_create(&thread, NULL, work, (void *)key);
  pthread_join(thread, NULL);
  quiet = *first + *second;
  printf("%d\n", quiet);
  return 0;
}
