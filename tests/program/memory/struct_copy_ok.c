// A structure is copied while another thread writes its neighbour in the array.
// expect: none
// output: done
#include <pthread.h>
#include <stdio.h>

struct Record {
  long field[20];
} records[2];

void* change(void* unused) {
  records[1].field[0] = 1;
  return unused;
}

int main(void) {
  pthread_t writer;
  pthread_create(&writer, NULL, change, NULL);
  struct Record copy = records[0];  // @copy
  pthread_join(writer, NULL);
  puts(copy.field[0] + copy.field[19] > 2 ? "never" : "done");
}
