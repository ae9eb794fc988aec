// strlen reads one string while strcpy writes another.
// expect: none
// output: done
#include <pthread.h>
#include <stdio.h>
#include <string.h>

char text[16], other[16];
const char* word = "word";

void* write_text(void* unused) {
  strcpy(other, word);
  return unused;
}

int main(void) {
  pthread_t writer;
  pthread_create(&writer, NULL, write_text, NULL);
  if (strlen(text) > 4) puts("never");  // @length
  pthread_join(writer, NULL);
  puts("done");
}
