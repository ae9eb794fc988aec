// A lost notification. The sender does not take the lock, so its notify can come between the
// receiver's check and its wait. There is no data race, and the program almost never hangs.
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
