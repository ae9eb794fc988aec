// The same with a gate around both: what is counted there keeps nothing apart, the gate does.
// expect: none
#include <mutex>
#include <thread>

std::mutex gate, registry_mutex, values_mutex;
int registered, values;

void count() {
  std::lock_guard both(gate);
  std::lock_guard first(values_mutex);
  values++;
  std::lock_guard second(registry_mutex);
  registered++;
}

void snapshot() {
  std::lock_guard both(gate);
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
