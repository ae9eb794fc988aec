// Two threads wait for each other in turn, and a third for both, which it reads together.
// reads: left 2; right 1; right 2
// may read: left 0; left 1; left 2; right 0; right 1; right 2
#include <pthread.h>

int left, right;

static void* answer(void* unused) {
  for (int i = 1; i <= 2; i++) {
    while (left < i) {
    }
    right = i;
  }
  return unused;
}

static void* watch(void* unused) {
  while (left + right < 4) {
  }
  return unused;
}

int main(void) {
  pthread_t answering, watching;
  pthread_create(&answering, NULL, answer, NULL);
  pthread_create(&watching, NULL, watch, NULL);
  for (int i = 1; i <= 2; i++) {
    left = i;
    while (right < i) {
    }
  }
  pthread_join(answering, NULL);
  pthread_join(watching, NULL);
}
