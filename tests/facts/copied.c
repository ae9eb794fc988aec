// A pointer that a library function copies, and what follows if that is denied.
// flags: -fno-builtin
// unshared: global number
// no unknown
// false: memcpy touches
#include <string.h>

struct Box { long first; int *pointer; };
int number;
struct Box from, to;

__attribute__((noinline)) static void use(void) { *to.pointer = 7; }

int main(void) {
  from.pointer = &number;
  memcpy(&to, &from, sizeof from);
  use();
  return number == 7 ? 0 : 1;
}
