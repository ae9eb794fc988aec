// One thread writes eight bytes, the other reads four in their middle.
// expect: race * @wide-@middle confirmed
// output: done
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

struct __attribute__((packed)) Unaligned {
  char pad[3];
  uint64_t wide;
  uint32_t after;
} u;

void* change(void* unused) {
  u.wide = 0x0123456789abcdef;  // @wide
  return unused;
}

int main(void) {
  pthread_t writer;
  pthread_create(&writer, NULL, change, NULL);
  uint32_t seen = ((struct Unaligned*)((char*)&u - 6))->after;  // @middle
  pthread_join(writer, NULL);
  puts(seen == 77 ? "never" : "done");
}
