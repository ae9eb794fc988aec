// SPDX-License-Identifier: Apache-2.0

// An http server in the manner of SLICED's table 1: workers serve clients from a list. A client that
// asks for too much is suspended and resumed by the worker that serves it, each call under the client's
// lock; another worker may serve the same client meanwhile, and the calls should alternate.
//
// RACE(served) happens-before sees it: workers count what they have served without a lock.
// RACE(last) only the order of the log's sections hides it: the first worker notes the last client
//   before it logs, the second one after.
#include <cstdio>
#include <mutex>
#include <thread>

struct Client {
  std::mutex lock;
  int wanted = 0;
  int suspended = 0;
};

Client clients[2];
std::mutex log_lock;
int lines = 0, served = 0, last = -1;

__attribute__((noinline)) void suspend(Client* client) {
  client->suspended = 1;
}
__attribute__((noinline)) void resume(Client* client) {
  client->suspended = 0;
}

void write_log() {
  std::lock_guard guard(log_lock);
  lines++;
}

void serve(int number) {
  Client& client = clients[number];
  {
    std::lock_guard guard(client.lock);
    suspend(&client);
  }
  {
    std::lock_guard guard(client.lock);
    resume(&client);
  }
  served++;  // RACE(served)
}

void first_worker() {
  served++;  // RACE(served)
  serve(0);
  serve(1);
  last = 1;  // RACE(last)
  write_log();
}

void second_worker() {
  served++;  // RACE(served)
  write_log();
  last = 0;  // RACE(last)
  serve(0);
}

int main() {
  std::thread first(first_worker), second(second_worker);
  first.join();
  second.join();
  std::printf("%s\n", served > 0 && lines == 2 ? "done" : "lost");
}
