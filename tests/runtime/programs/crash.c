// status: -11
// status native: -11
// state: crashed
// header: status=11
#include <stddef.h>
int main() { *(volatile int *)NULL = 1; }
