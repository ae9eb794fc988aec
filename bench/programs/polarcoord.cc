// polarcoord: the example program of PREDICT (figure 10.1), one round for each number of the argument.
//
// Two threads use a point. Its coordinates are protected by its lock; the count of accesses is not.
// The first thread counts before it takes the lock, the second after it has given it up: if the
// first one comes first, its unlock happens before the second one's lock, and that hides the race.
//
// usage: polarcoord [rounds]
// test: 1
//
// BUG(count) predicted: setRadius() counts outside of the lock, before it; getAngle() after it.
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace {

class PolarCoord {
 public:
  void set_radius(int radius) {
    ++count_;  // BUG(count)
    std::lock_guard guard(lock_);
    radius_ = radius;
  }

  int angle() {
    int angle = 0;
    {
      std::lock_guard guard(lock_);
      angle = angle_;
    }
    ++count_;  // BUG(count)
    return angle;
  }

  int radius() const { return radius_; }

 private:
  std::mutex lock_;
  int radius_ = 0, angle_ = 0;
  int count_ = 0;  // of accesses
};

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
  int radius = 0, angle = 0;
  for (int round = 0; round < rounds; ++round) {
    PolarCoord point;
    std::thread one([&] { point.set_radius(10); });
    std::thread two([&] { angle += point.angle(); });
    one.join();
    two.join();
    radius += point.radius();
  }
  if (radius != 10 * rounds || angle != 0) return 1;
  std::printf("radius %d, angle %d\n", radius, angle);
  return 0;
}
