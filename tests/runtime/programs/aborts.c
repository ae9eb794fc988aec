// status: -6
// status native: -6
// state: crashed
// header: status=6
#include <stdlib.h>
int main() { abort(); }
