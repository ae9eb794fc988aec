// Two names, two semaphores: the thread posts one, main waits for the other.
// expect: race data @write-@read confirmed
// output: done
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

sem_t *mine, *its;
int data;

void* produce(void* unused) {
  (void)unused;
  data = 1;  // @write
  sem_post(its);
  return NULL;
}

int main(void) {
  char name[2][40];
  for (int i = 0; i < 2; i++) snprintf(name[i], sizeof name[i], "/foretell-%d-%d", getpid(), i);
  mine = sem_open(name[0], O_CREAT, 0600, 1);
  its = sem_open(name[1], O_CREAT, 0600, 0);
  for (int i = 0; i < 2; i++) sem_unlink(name[i]);
  pthread_t producer;
  pthread_create(&producer, NULL, produce, NULL);
  sem_wait(mine);
  if (data > 1) puts("never");  // @read
  pthread_join(producer, NULL);
  puts("done");
}
