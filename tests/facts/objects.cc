// C++: threads that run virtual functions of a state, virtual calls, members, containers.
// unshared: global of_main
// shared: global of_both
// shared: global counted
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

struct Shape {
  virtual ~Shape() = default;
  virtual int area() const = 0;
};
int counted;
struct Square : Shape {
  int side = 2;
  int area() const override { return counted++, side * side; }
};
int of_main, of_both;

int main() {
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(std::make_unique<Square>());
  of_main = static_cast<int>(shapes.size());
  std::thread thread([&] { of_both = shapes[0]->area(); });
  thread.join();
  of_both += shapes[0]->area();
  std::printf("%d %d %d\n", of_main, of_both, counted);
}
