// elevator: lifts serve the calls of people, one thread each, while a display shows where the lifts
// are. All shared state is under the lock of the building or the lock of its lift.
//
// usage: elevator [TRIPS [PEOPLE [LIFTS]]]
// test: 2 3 2
// determinism: 3 2 1
//
// Self-check: everybody arrives where they wanted, and the lifts count as many trips.
//
// No bugs: tools must be silent. (PREDICT's elevator had none either.)
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

constexpr int kFloors = 10;

// A person's wish, kept on the person's stack until it is served.
struct Call {
  int from, to;
  int arrived = -1;
  std::condition_variable served;
};

// lock_  calls_, closed_, moving_ and the `arrived` of every call
class Building {
 public:
  // Returns the floor the caller was brought to.
  int travel(int from, int to) {
    Call call{from, to, -1, {}};
    std::unique_lock lock(lock_);
    calls_.push_back(&call);
    changed_.notify_one();
    call.served.wait(lock, [&] { return call.arrived >= 0; });
    return call.arrived;
  }

  // The next call, or null when there will be none.
  Call* take() {
    std::unique_lock lock(lock_);
    changed_.wait(lock, [this] { return closed_ || !calls_.empty(); });
    if (calls_.empty()) return nullptr;
    Call* call = calls_.front();
    calls_.pop_front();
    return call;
  }

  void finish(Call& call, int floor) {
    std::lock_guard guard(lock_);
    call.arrived = floor;
    call.served.notify_one();
  }

  void close() {
    std::lock_guard guard(lock_);
    closed_ = true;
    changed_.notify_all();
  }

  bool closed() {
    std::lock_guard guard(lock_);
    return closed_;
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<Call*> calls_;
  bool closed_ = false;
};

class Lift {
 public:
  void run(Building& building) {
    while (Call* call = building.take()) {
      go_to(call->from);
      go_to(call->to);
      {
        std::lock_guard guard(lock_);
        trips_++;
      }
      building.finish(*call, floor());
    }
  }

  int floor() {
    std::lock_guard guard(lock_);
    return floor_;
  }

  int trips() {
    std::lock_guard guard(lock_);
    return trips_;
  }

 private:
  void go_to(int target) {
    while (floor() != target) {
      std::lock_guard guard(lock_);
      floor_ += floor_ < target ? 1 : -1;
    }
  }

  std::mutex lock_;
  int floor_ = 0;
  int trips_ = 0;
};

// Looks at all lifts until the building closes; they are never outside of it.
bool watch(Building& building, std::vector<Lift>& lifts) {
  bool inside = true;
  do {
    for (Lift& lift : lifts) {
      const int floor = lift.floor();
      inside = inside && floor >= 0 && floor < kFloors;
    }
    std::this_thread::yield();
  } while (!building.closed());
  return inside;
}

int argument(int argc, char** argv, int which, int fallback) {
  return which < argc ? std::atoi(argv[which]) : fallback;
}

int main(int argc, char** argv) {
  const int trips = argument(argc, argv, 1, 20);
  const int people = argument(argc, argv, 2, 6);
  const int count = argument(argc, argv, 3, 3);

  Building building;
  std::vector<Lift> lifts(static_cast<size_t>(count));
  std::vector<std::thread> lift_threads, people_threads;
  std::vector<int> right(static_cast<size_t>(people));
  for (Lift& lift : lifts) lift_threads.emplace_back([&] { lift.run(building); });
  bool inside = false;
  std::thread display([&] { inside = watch(building, lifts); });
  for (int me = 0; me < people; me++) {
    people_threads.emplace_back([&, me] {
      int at = me % kFloors;
      for (int i = 0; i < trips; i++) {
        const int to = (at + 3 + i * me) % kFloors;
        right[static_cast<size_t>(me)] += building.travel(at, to) == to;
        at = to;
      }
    });
  }
  for (std::thread& person : people_threads) person.join();
  building.close();
  for (std::thread& lift : lift_threads) lift.join();
  display.join();

  int arrived = 0, served = 0;
  for (int one : right) arrived += one;
  for (Lift& lift : lifts) served += lift.trips();
  std::printf("elevator: %d arrived, %d trips\n", arrived, served);
  return inside && arrived == people * trips && served == arrived ? 0 : 1;
}
