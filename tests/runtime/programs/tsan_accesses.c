// Objects compiled for ThreadSanitizer record accesses without values, with the place of the code.
// compilers: clang gcc
// compile: -fsanitize=thread -O1
// output: 200 ok
// records: ReadRange WriteRange PcSite FunctionEnter FunctionExit Acquire
// header: values=0
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct Wide {
  long words[8];
};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static struct Wide from = {{1, 2, 3, 4, 5, 6, 7, 8}}, to;
static char bytes[64];

__attribute__((noinline)) static void increment(int *at) { ++*at; }

static void *count(void *unused) {
  for (int i = 0; i < 100; i++) {
    pthread_mutex_lock(&mutex);
    increment(&counter);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main() {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, count, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  to = from;
  memset(bytes, 'x', sizeof bytes);
  short unaligned;
  memcpy(&unaligned, bytes + 1, sizeof unaligned);
  const int ok = to.words[7] == 8 && unaligned == 'x' * 257 && bytes[63] == 'x';
  printf("%d %s\n", counter, ok ? "ok" : "wrong");
}
