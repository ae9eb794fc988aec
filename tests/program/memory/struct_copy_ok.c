// A structure is copied while another thread writes its neighbor in the array.
// expect: none
// output: done
#include <pthread.h>
#include <stdio.h>

struct Record {
  long field[20];
} records[2], copy;

void* change(void* unused) {
  records[1].field[0] = 1;
  return unused;
}

int main(void) {
  pthread_t writer;
  pthread_create(&writer, NULL, change, NULL);
  copy = records[0];  // @copy
  pthread_join(writer, NULL);
  puts("done");
}
