// Code that was linked in without bitcode can use every symbol that is not local to a file.
// foreign: parts/foreign_code.c
// unshared: global local
// shared: global visible
// unknown: code without bitcode start_somewhere
// unknown: external function start_somewhere
#include <stdio.h>

int visible;
static volatile int local;
void start_somewhere(void);

int main(void) {
  local = 1;
  start_somewhere();
  visible++;
  printf("%d %d\n", local, visible);
  return 0;
}
