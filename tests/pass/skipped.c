// How many accesses were left out is in the module's descriptor.
// @levels O0
// @expect module
int main(void) {
  int i = 1;  // @count 1 skipped 4 repeated 0
  i = i + 1;
  return 0;
}
// @never Write4
