// Constants cannot be written, so their reads are not recorded; virtual calls read the vptr.
// @levels O0 O2
struct Shape {
  virtual int area() { return 1; }
  virtual ~Shape() {}
};
static const int table[] = {1, 2, 3};
volatile int index_;
[[gnu::noinline]] int area(Shape* s) {
  return s->area();  // @expect Read8 *s =
}
int main() {
  Shape* s = new Shape;
  int sum = area(s) + table[index_];
  delete s;
  return sum - 2;
}
// @never table
