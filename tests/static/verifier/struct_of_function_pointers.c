// SPDX-License-Identifier: Apache-2.0
// race-free: operations of a driver in a structure of function pointers
#include <pthread.h>
#include <stdlib.h>
struct ops { int (*open)(void); void (*close)(void); };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int users;
static int my_open(void) {
  pthread_mutex_lock(&m);
  users++;
  pthread_mutex_unlock(&m);
  return 0;
}
static void my_close(void) {
  pthread_mutex_lock(&m);
  users--;
  pthread_mutex_unlock(&m);
}
static struct ops ops = {.open = my_open, .close = my_close};
static void *worker(void *unused) {
  if (ops.open() == 0) ops.close();
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return users;
}
