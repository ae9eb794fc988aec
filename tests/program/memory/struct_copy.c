// A structure is copied while another thread writes one of its fields.
// expect: race * @copy-@field confirmed
// output: done
#include <pthread.h>
#include <stdio.h>

struct Record {
  long field[20];
} records[2];

void* change(void* unused) {
  records[0].field[7] = 1;  // @field
  return unused;
}

int main(void) {
  pthread_t writer;
  pthread_create(&writer, NULL, change, NULL);
  struct Record copy = records[0];  // @copy
  pthread_join(writer, NULL);
  puts(copy.field[0] + copy.field[19] > 2 ? "never" : "done");
}
