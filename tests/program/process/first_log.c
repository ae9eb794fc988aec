// The same with a file that both threads write, and the local time, which libc reads up once.
// expect: race x @first-@second confirmed
#include <pthread.h>
#include <stdio.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
FILE* out;
int x;

void log_time(void) {
  time_t now = 0;
  struct tm parts;
  pthread_mutex_lock(&m);
  localtime_r(&now, &parts);
  fprintf(out, "%d\n", parts.tm_year);
  pthread_mutex_unlock(&m);
}

void* first(void* unused) {
  x = 1;  // @first
  log_time();
  return unused;
}

void* second(void* unused) {
  log_time();
  x = 2;  // @second
  return unused;
}

int main(void) {
  pthread_t a, b;
  out = fopen("/dev/null", "w");
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
