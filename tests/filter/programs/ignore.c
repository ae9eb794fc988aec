// What is read inside an ignore region only is not recorded, and does not count as read; what was
// read before still counts behind it.
// records: rd x 0; rd y 0; wr x 3; rd x 3
#include "foretell/foretell.h"
#include "tiny.h"

int x, y;
UNSEEN int main(void) {
  read_one(&x);
  FORETELL_IGNORE_BEGIN();
  read_one(&x), read_one(&y);
  FORETELL_IGNORE_BEGIN();
  read_one(&y);
  FORETELL_IGNORE_END();
  read_one(&y);
  FORETELL_IGNORE_END();
  read_one(&x), read_one(&y), read_one(&y);
  FORETELL_IGNORE_BEGIN();
  write_one(&x, 2);
  read_one(&x);
  FORETELL_IGNORE_END();
  write_one(&x, 3);
  read_one(&x);
}
