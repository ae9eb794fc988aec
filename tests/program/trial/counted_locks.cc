// Each thread counts under its first lock before it takes the second one. What it has counted does
// not matter: the locks are taken in opposite orders.
// expect: deadlock registry_mutex values_mutex confirmed
#include <mutex>
#include <thread>

std::mutex registry_mutex, values_mutex;
int registered, values;

void count() {
  std::lock_guard first(values_mutex);
  values++;
  std::lock_guard second(registry_mutex);
  registered++;
}

void snapshot() {
  std::lock_guard first(registry_mutex);
  registered++;
  std::lock_guard second(values_mutex);
  values++;
}

int main() {
  std::thread counter(count);
  snapshot();
  counter.join();
}
