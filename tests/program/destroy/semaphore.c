// The semaphore is destroyed while a thread may still post to it.
// expect: memory s @post-@destroy confirmed
#include <pthread.h>
#include <semaphore.h>

sem_t s;

void* post(void* unused) {
  sem_post(&s);  // @post
  return unused;
}

int main(void) {
  pthread_t poster;
  sem_init(&s, 0, 1);
  pthread_create(&poster, NULL, post, NULL);
  sem_wait(&s);
  sem_destroy(&s);  // @destroy
  pthread_join(poster, NULL);
}
