// SPDX-License-Identifier: Apache-2.0

// An http server in the manner of SLICED 5.3: a controller suspends and resumes the client under a
// lock each, and so does the client's own time-out. The calls should alternate.
#include <mutex>
#include <thread>

std::mutex lock;

struct Client {
  int suspended = 0;
};
Client client;

void suspend(Client* c) {
  c->suspended = 1;
}
void resume(Client* c) {
  c->suspended = 0;
}

void controller() {
  {
    std::lock_guard guard(lock);
    suspend(&client);
  }
  std::lock_guard guard(lock);
  resume(&client);
}

int main() {
  std::thread first(controller);
  std::thread second(controller);
  first.join();
  second.join();
}
