// Semaphores and messages of System V; where there are none, nothing happens.
// expect: none
// output: done
#include <pthread.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

int semaphore, queue, data, more;
struct message {
  long type;
  char text[4];
};

void* produce(void* unused) {
  struct sembuf up = {0, 1, 0};
  struct message message = {1, "x"};
  data = 1;
  semop(semaphore, &up, 1);
  more = 1;
  msgsnd(queue, &message, sizeof message.text, 0);
  return unused;
}

int main(void) {
  pthread_t producer;
  struct sembuf down = {0, -1, 0};
  struct message message;
  semaphore = semget(IPC_PRIVATE, 1, 0600 | IPC_CREAT);
  queue = msgget(IPC_PRIVATE, 0600 | IPC_CREAT);
  if (semaphore >= 0 && queue >= 0) {
    pthread_create(&producer, NULL, produce, NULL);
    semop(semaphore, &down, 1);
    if (data != 1) puts("never");
    if (msgrcv(queue, &message, sizeof message.text, 0, 0) < 0) puts("never");
    if (more != 1) puts("never");
    pthread_join(producer, NULL);
  }
  semctl(semaphore, 0, IPC_RMID);
  msgctl(queue, IPC_RMID, NULL);
  puts("done");
}
