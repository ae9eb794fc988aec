// @flags -mllvm -foretell-functions=none
// @never enter
// @never exit
// @expect Write4 x = 1
int x;
__attribute__((noinline)) void f(void) { x = 1; }
int main(void) { f(); }
