// Memory intrinsics are ranges; a copy of nothing is nothing.
#include <string.h>
struct Big {
  long a[20];
} one, two;
char text[64];
__attribute__((noinline)) void copy(unsigned long n) {
  memset(text, 1, n);  // n is 0
}
int main(int argc, char** argv) {
  (void)argv;
  one = two;  // @expect ReadRange two size 160 at memory.c:@:9 in main
  // @expect WriteRange one size 160 at memory.c:@-1:9 in main
  memset(text, 0, sizeof text);  // @expect WriteRange text size 64
  copy((unsigned long)argc - 1);
}
// @never size 0
