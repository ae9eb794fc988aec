// The twin of semaphore.c: the wait takes what the thread posts.
// expect: none
#include <pthread.h>
#include <semaphore.h>

sem_t s;

void* post(void* unused) {
  sem_post(&s);
  return unused;
}

int main(void) {
  pthread_t poster;
  sem_init(&s, 0, 0);
  pthread_create(&poster, NULL, post, NULL);
  sem_wait(&s);
  sem_destroy(&s);
  pthread_join(poster, NULL);
}
