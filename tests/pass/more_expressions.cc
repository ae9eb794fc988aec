// C++ shapes: smart pointers, strings, arrays, loops over containers, captures.
// @levels O1 O2
#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>
struct Point {
  int x, y;
};
struct Shape {
  std::vector<Point> points;
  std::atomic<int> uses;
};
[[gnu::noinline]] void shapes(std::shared_ptr<Point>& p, std::string& s, std::array<int, 4>& a,
                              Shape& shape, Shape* other, int i) {
  p->y = 1;                // @expect Write4 p->y = 1
  s[i] = 'x';              // @expect Write1 s[i] = 120
  a[i] = 3;                // @expect Write4 a[i] = 3
  a[2] = 4;                // @expect Write4 a[2] = 4
  shape.points[i].y = 5;   // @expect Write4 shape.points[i].y = 5
  other->points[1].x = 6;  // @expect Write4 other->points[1].x = 6
  shape.uses++;            // @expect AtomicRmw shape.uses = 0 -> 1
  other->uses.store(7);    // @expect AtomicWrite other->uses = 7
}
int main() {
  auto p = std::make_shared<Point>();
  std::string s = "abc";
  std::array<int, 4> a{};
  Shape shape{std::vector<Point>(3), 0};
  shapes(p, s, a, shape, &shape, 1);
}
