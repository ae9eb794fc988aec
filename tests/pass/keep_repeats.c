// @levels O0
// @flags -mllvm -foretell-keep-repeats
// @expect repeated 0
// @count 2 Read4 x = 0
int x;
int main(void) { return x + x; }
