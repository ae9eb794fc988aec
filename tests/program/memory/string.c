// strlen reads what strcpy writes.
// expect: race * @copy-@length confirmed
// output: done
#include <pthread.h>
#include <stdio.h>
#include <string.h>

char text[16], other[16];
const char* word = "word";

void* write_text(void* unused) {
  strcpy(text, word);  // @copy
  return unused;
}

int main(void) {
  pthread_t writer;
  pthread_create(&writer, NULL, write_text, NULL);
  if (strlen(text) > 4) puts("never");  // @length
  pthread_join(writer, NULL);
  puts("done");
}
