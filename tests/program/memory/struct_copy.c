// A structure is copied while another thread writes one of its fields.
// expect: race * @copy-@field confirmed
// output: done
#include <pthread.h>
#include <stdio.h>

struct Record {
  long field[20];
} records[2], copy;

void* change(void* unused) {
  records[0].field[7] = 1;  // @field
  return unused;
}

int main(void) {
  pthread_t writer;
  pthread_create(&writer, NULL, change, NULL);
  copy = records[0];  // @copy
  pthread_join(writer, NULL);
  puts("done");
}
