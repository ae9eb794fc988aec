// Cancellation unwinds through the runtime: destructors of the program run. A thread that does not
// let itself be cancelled goes on.
// output: destroyed cancelled finished
#include <pthread.h>
#include <semaphore.h>

#include <cstdio>

static sem_t never;
static sem_t started;

struct Noisy {
  ~Noisy() { std::printf("destroyed "); }
};

static void* wait(void*) {
  Noisy noisy;
  sem_post(&started);
  sem_wait(&never);
  return nullptr;
}

static void* stubborn(void*) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
  sem_post(&started);
  sem_wait(&never);
  return nullptr;
}

int main() {
  sem_init(&never, 0, 0);
  sem_init(&started, 0, 0);
  pthread_t thread;
  void* result;
  pthread_create(&thread, nullptr, wait, nullptr);
  sem_wait(&started);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  std::printf(result == PTHREAD_CANCELED ? "cancelled " : "finished ");
  pthread_create(&thread, nullptr, stubborn, nullptr);
  sem_wait(&started);
  pthread_cancel(thread);
  sem_post(&never);
  pthread_join(thread, &result);
  std::printf(result == PTHREAD_CANCELED ? "cancelled\n" : "finished\n");
}
