// Calls that say where they come from record what they read and write; others do not.
// output: ok
// count: ReadRange 14
// count: WriteRange 7
// compile: -fno-builtin
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct Slots {
  char *cursor;
  int64_t fuel;
  uint32_t call_site, reserved;
};
extern __thread struct Slots __foretell_thread;

#define FROM(expression) (__foretell_thread.call_site = 1, (expression))

int main() {
  char a[32] = "hello", b[32] = "";
  int ok = 1;
  ok &= FROM(memcpy(b, a, 6)) == b;                    // r w
  ok &= FROM(memmove(b + 1, b, 5)) == b + 1;           // r w
  ok &= FROM(memset(b, 'x', 3)) == b;                  // w
  ok &= FROM(memcmp(a, "hellp", 5)) < 0;               // r r
  ok &= FROM(memchr(a, 'l', 5)) == a + 2;              // r
  ok &= FROM(strlen(a)) == 5;                          // r
  ok &= FROM(strcpy(b, a)) == b;                       // r w
  ok &= FROM(strncpy(b, a, 3)) == b;                   // r w
  ok &= FROM(strcat(b, "!")) == b;                     // r r w
  ok &= FROM(strcmp(a, "hello")) == 0;                 // r r
  ok &= FROM(strchr(a, 'z')) == NULL;                  // r
  ok &= FROM(stpcpy(b, "ab")) == b + 2;                // r w
  ok &= strcmp(b, "ab") == 0 && memcmp(a, "hello", 6) == 0;
  puts(ok ? "ok" : "wrong");
}
