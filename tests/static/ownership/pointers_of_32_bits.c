// SPDX-License-Identifier: Apache-2.0
// race-free: two pointers of a 32-bit machine, each with its lock
typedef unsigned int size_t;
typedef unsigned long pthread_t;
typedef union {
  long align;
  char size[24];
} pthread_mutex_t;
int pthread_create(pthread_t*, void*, void* (*)(void*), void*);
int pthread_mutex_lock(pthread_mutex_t*), pthread_mutex_unlock(pthread_mutex_t*);
extern int __VERIFIER_nondet_int(void);
struct two {
  int *a, *b;
};
static int x, y;
static pthread_mutex_t m, n;
static struct two p = {&x, &y};
static void* first(void* unused) {
  pthread_mutex_lock(&m);
  (*p.a)++;
  pthread_mutex_unlock(&m);
  return unused;
}
static void* second(void* unused) {
  pthread_mutex_lock(&n);
  (*p.b)++;
  pthread_mutex_unlock(&n);
  return unused;
}
int main(void) {
  pthread_t t[4];
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
  pthread_create(&t[2], 0, first, 0);
  pthread_create(&t[3], 0, second, 0);
  return 0;
}
