// A lost notify: the sender does not take the lock, so its notify can come between the receiver's
// look and its wait, and nobody wakes the receiver. Nothing races, and it hardly ever hangs.
//
//   foretell c++ -O1 examples/mailbox.cc -o mailbox
//   foretell run -- ./mailbox
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

struct Mailbox {
  std::mutex lock;
  std::condition_variable arrived;
  std::atomic<int> letters = 0;
} box;

void send() {
  box.letters++;
  box.arrived.notify_one();
}

void receive() {
  std::unique_lock hold(box.lock);
  while (box.letters == 0) box.arrived.wait(hold);
  box.letters--;
}

int main() {
  std::thread receiver(receive);
  std::thread sender(send);
  sender.join();
  receiver.join();
}
