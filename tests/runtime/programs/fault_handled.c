// A fault whose handler jumps out, and one whose handler fixes what is wrong.
// output: jumped 42 old 1
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

static sigjmp_buf back;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *page;

static void jump(int number) { siglongjmp(back, number); }

static void repair(int number, siginfo_t *info, void *context) {
  (void)number, (void)info, (void)context;
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
  *page = 42;
}

int main() {
  struct sigaction old;
  sigaction(SIGSEGV, NULL, &old);
  signal(SIGSEGV, jump);
  page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (sigsetjmp(back, 1) == 0) {
    *(volatile int *)page = 1;
  } else {
    printf("jumped ");
  }
  // The thread still records.
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  struct sigaction action = {0};
  action.sa_sigaction = repair;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, NULL);
  printf("%d ", *(volatile int *)page);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  printf("old %d\n", old.sa_handler == SIG_DFL);
}
// count: Acquire 2
