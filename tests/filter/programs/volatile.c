// Volatile reads are recorded each time, and count for nothing.
// records: rd x 0; rd x 0; rd x 0; rd x 0
#include "tiny.h"

int x;
UNSEEN int main(void) {
  read_volatile(&x), read_volatile(&x);
  read_one(&x), read_one(&x);
  read_volatile(&x), read_one(&x);
}
