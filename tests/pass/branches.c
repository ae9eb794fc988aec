// @levels O0
// @flags -mllvm -foretell-branches
int x;
int main(void) {
  if (x == 0) x = 1;  // @expect Branch - = 1 at branches.c:@:7 in main
  switch (x) {        // @expect Branch - = 1 at branches.c:@:3 in main
    case 1: return 0;
    default: return 1;
  }
}
