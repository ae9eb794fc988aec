// Handlers run on the thread the signal was sent to, interrupt what may be interrupted, and see the
// mask they asked for.
// output: raise 1 pause -1 4 sem -1 4 other 1 restart 0 masked 0 1 wait 12 sleep 1
// header controlled: uncontrolled=0
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static sem_t semaphore, ready;
static volatile sig_atomic_t caught;
static pthread_t main_thread, caught_by;

static void on_usr1(int number) {
  (void)number;
  caught++;
  caught_by = pthread_self();
}

static void *signal_main(void *unused) {
  sem_wait(&ready);
  pthread_kill(main_thread, SIGUSR1);
  return unused;
}

static void *wait_restarted(void *result) {
  sem_post(&ready);
  *(int *)result = sem_wait(&semaphore);
  return NULL;
}

static void *take(void *unused) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  int number = 0;
  sem_post(&ready);
  sigwait(&set, &number);
  printf("wait %d ", number);
  return unused;
}

int main() {
  main_thread = pthread_self();
  sem_init(&semaphore, 0, 0);
  sem_init(&ready, 0, 0);
  struct sigaction action = {0};
  action.sa_handler = on_usr1;
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  printf("raise %d ", (int)caught);
  pthread_t thread;
  // The mask keeps the signal away until pause and sem_wait look: no signal can come too early.
  pthread_create(&thread, NULL, signal_main, NULL);
  sigset_t usr1, before;
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &usr1, &before);
  sem_post(&ready);
  pthread_join(thread, NULL);
  int result = sigsuspend(&before);
  printf("pause %d %d ", result, errno);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  timer_t timer;
  struct sigevent event = {0};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGUSR1;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  struct itimerspec soon = {{0, 0}, {0, 20000000}};
  timer_settime(timer, 0, &soon, NULL);
  result = sem_wait(&semaphore);
  printf("sem %d %d ", result, errno);
  printf("other %d ", pthread_equal(caught_by, main_thread) != 0);
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, NULL);
  int waited = -2;
  pthread_create(&thread, NULL, wait_restarted, &waited);
  sem_wait(&ready);
  pthread_kill(thread, SIGUSR1);
  sem_post(&semaphore);
  pthread_join(thread, NULL);
  printf("restart %d ", waited);
  pthread_sigmask(SIG_BLOCK, &usr1, &before);
  int seen = caught;
  kill(getpid(), SIGUSR1);
  printf("masked %d ", (int)caught - seen);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  printf("%d ", (int)caught - seen);
  sigset_t usr2;
  sigemptyset(&usr2);
  sigaddset(&usr2, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &usr2, NULL);
  pthread_create(&thread, NULL, take, NULL);
  sem_wait(&ready);
  pthread_kill(thread, SIGUSR2);
  pthread_join(thread, NULL);
  timer_settime(timer, 0, &soon, NULL);
  printf("sleep %d\n", sleep(100) > 0);
}
