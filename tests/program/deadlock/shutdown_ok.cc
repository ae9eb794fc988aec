// The twin of shutdown.cc: the lock is taken after the stages have ended.
// expect: none
#include <semaphore.h>

#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

constexpr int kStages = 8;

struct Registry {
  std::mutex lock;
  int signed_off = 0;
} registry;
sem_t started, finished[kStages];

void run_stage(int me) {
  if (me == 0) {
    sem_post(&started);
    std::lock_guard hold(registry.lock);
    ++registry.signed_off;
  } else {
    sem_wait(&finished[me - 1]);
  }
  sem_post(&finished[me]);
}

int main() {
  sem_init(&started, 0, 0);
  for (sem_t& stage : finished) sem_init(&stage, 0, 0);
  std::vector<std::thread> stages;
  for (int i = 0; i < kStages; ++i) stages.emplace_back(run_stage, i);
  sem_wait(&started);
  {
    stages.back().join();
    std::lock_guard hold(registry.lock);
    ++registry.signed_off;
  }
  for (int i = 0; i + 1 < kStages; ++i) stages[static_cast<size_t>(i)].join();
  printf("%d\n", registry.signed_off);
}
