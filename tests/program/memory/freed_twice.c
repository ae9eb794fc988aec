// The allocator is told of the second free at once, as without Foretell.
// expect: crash 6
#include <stdlib.h>

int main(void) {
  int* volatile block = malloc(sizeof *block);
  free(block);
  free(block);
}
