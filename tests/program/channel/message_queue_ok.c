// A POSIX message queue; where there are none, nothing happens.
// expect: none
// output: done
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

mqd_t queue;
int data;

void* produce(void* unused) {
  data = 1;
  mq_send(queue, "x", 1, 0);
  return unused;
}

int main(void) {
  char name[40], message[8];
  pthread_t producer;
  struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = sizeof message};
  snprintf(name, sizeof name, "/foretell-%d", (int)getpid());
  queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
  mq_unlink(name);
  if (queue != (mqd_t)-1) {
    pthread_create(&producer, NULL, produce, NULL);
    if (mq_receive(queue, message, sizeof message, NULL) != 1) puts("never");
    if (data != 1) puts("never");
    pthread_join(producer, NULL);
  }
  puts("done");
}
