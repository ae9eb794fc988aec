// A text is formatted into a buffer while another thread reads it.
// expect: race line @format-@length confirmed
#include <pthread.h>
#include <stdio.h>
#include <string.h>

char line[32];
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void* format(void* count) {
  pthread_mutex_lock(&m);
  snprintf(line, sizeof line, "item %d", *(int*)count);  // @format
  pthread_mutex_unlock(&m);
  return NULL;
}

void* length(void* unused) {
  return strlen(line) > 20 ? unused : NULL;  // @length
}

int main(void) {
  pthread_t writer, reader;
  int count = 3;
  pthread_create(&writer, NULL, format, &count);
  pthread_create(&reader, NULL, length, NULL);
  pthread_join(writer, NULL);
  pthread_join(reader, NULL);
}
