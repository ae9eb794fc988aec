// The task's exception reaches main, but main does not wait for it before it looks at the log.
// expect: race log_length @write-@read confirmed
// output: caught 5
#include <cstdio>
#include <future>
#include <thread>

int log_length;

int main() {
  std::packaged_task<void()> task([] {
    log_length = 1;  // @write
    throw 5;
  });
  auto future = task.get_future();
  std::thread worker(std::move(task));
  if (log_length > 1) puts("never");  // @read
  try {
    future.get();
  } catch (int number) {
    printf("caught %d\n", number);
  }
  worker.join();
}
