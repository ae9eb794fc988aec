// The child goes on alone and records into a file of its own; the parent waits for it.
// output: child 3 parent 5
// header: forks=1
// files: 2
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *value) {
  pthread_mutex_lock(&mutex);
  ++*(int *)value;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static int count(int from) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, &from);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return from;
}

int main() {
  int status;
  pthread_mutex_lock(&mutex);
  pid_t child = fork();
  pthread_mutex_unlock(&mutex);
  if (child == 0) {
    printf("child %d ", count(1));
    fflush(stdout);
    _exit(5);
  }
  waitpid(child, &status, 0);
  count(0);
  printf("parent %d\n", WEXITSTATUS(status));
}
