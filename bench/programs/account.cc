// account: every thread has an account, is paid into it, and pays into its neighbor's.
//
// usage: account [PAYMENTS [ACCOUNTS]]
// test: 2 3
// determinism: 3 10
//
// Self-check: no money was made or lost, and each account has had its payments.
//
// No bugs: tools must be silent. A payment that is not covered waits, and so does its thread, until
// another one has paid in. When that is depends on the schedule; the balance at the end does not.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

constexpr int kAmount = 100;

// lock_       balance_
// book_lock_  payments_; taken inside lock_
class Account {
 public:
  void pay_in(int amount) {
    std::lock_guard guard(lock_);
    balance_ += amount;
    note();
    covered_.notify_one();
  }

  void withdraw(int amount) {
    std::unique_lock lock(lock_);
    covered_.wait(lock, [&] { return balance_ >= amount; });
    balance_ -= amount;
    note();
  }

  int balance() {
    std::lock_guard guard(lock_);
    return balance_;
  }

  int payments() {
    std::lock_guard guard(book_lock_);
    return payments_;
  }

 private:
  void note() {
    std::lock_guard guard(book_lock_);
    payments_++;
  }

  std::mutex lock_, book_lock_;
  std::condition_variable covered_;
  int balance_ = 0;
  int payments_ = 0;
};

int argument(int argc, char** argv, int which, int fallback) {
  return which < argc ? std::atoi(argv[which]) : fallback;
}

int main(int argc, char** argv) {
  const int payments = argument(argc, argv, 1, 30);
  const int count = argument(argc, argv, 2, 8);

  std::vector<Account> accounts(static_cast<size_t>(count));
  std::vector<std::thread> threads;
  for (int me = 0; me < count; me++) {
    threads.emplace_back([&, me] {
      Account& mine = accounts[static_cast<size_t>(me)];
      Account& next = accounts[static_cast<size_t>(me + 1) % accounts.size()];
      // The first one begins; the others have to wait for their neighbor.
      if (me == 0) mine.pay_in(kAmount * 2);
      for (int i = 0; i < payments; i++) {
        mine.withdraw(kAmount);
        next.pay_in(kAmount);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  int balance = 0, noted = 0;
  for (Account& account : accounts) {
    balance += account.balance();
    noted += account.payments();
  }
  std::printf("account: balance %d, %d payments\n", balance, noted);
  return balance == kAmount * 2 && noted == 2 * payments * count + 1 ? 0 : 1;
}
