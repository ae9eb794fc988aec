// bank: tellers move money between accounts, each account under its own lock and two locks always
// in the order of the accounts. At the end of the day tellers sign the ledger, accounts are closed,
// and an auditor looks at it all.
//
// usage: bank [TRANSFERS [TELLERS [ACCOUNTS]]]
// test: 10 2 4
//
// Self-check: no money was made or lost.
//
// BUG(peek) every run: an account's balance is looked at without its lock to save locking an
//   account that cannot pay. The first look of a teller is ordered with nothing.
// BUG(cash) predicted: tellers report their cash to the branch, then sign the ledger under its
//   lock, each on a line of their own; the auditor signs too, then reads the cash. The last teller
//   is usually done by then, and the order of the signatures, which do not touch each other, hides
//   the race from happens-before.
// BUG(close_order) deadlock: closing moves what is left from one account to another and takes the
//   two locks in the order of the arguments. It can block, and be blocked by, a teller that closes
//   in the opposite direction or transfers; the run passes unless they meet in that moment.
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

struct Account {
  std::mutex lock;
  long balance = 1000;
};

class Ledger {
 public:
  explicit Ledger(int lines) : signed_(static_cast<size_t>(lines)) {}

  void sign(int line) {
    std::lock_guard guard(lock_);
    signed_[static_cast<size_t>(line)] = 1;
  }

  int signatures() {
    std::lock_guard guard(lock_);
    int sum = 0;
    for (int one : signed_) sum += one;
    return sum;
  }

 private:
  std::mutex lock_;
  std::vector<int> signed_;
};

class Bank {
 public:
  Bank(int accounts, int tellers)
      : accounts_(static_cast<size_t>(accounts)),
        ledger_(tellers + 1),
        cash_(static_cast<size_t>(tellers)) {}

  void transfer(size_t from, size_t to, long amount) {
    if (from == to || accounts_[from].balance < amount) return;  // BUG(peek)
    Account& first = accounts_[from < to ? from : to];
    Account& second = accounts_[from < to ? to : from];
    std::lock_guard one(first.lock);     // BUG(close_order)
    std::lock_guard other(second.lock);  // BUG(close_order)
    if (accounts_[from].balance < amount) return;
    accounts_[from].balance -= amount;  // BUG(peek)
    accounts_[to].balance += amount;    // BUG(peek)
  }

  void close(size_t from, size_t to) {
    std::lock_guard one(accounts_[from].lock);         // BUG(close_order)
    std::lock_guard other(accounts_[to].lock);         // BUG(close_order)
    accounts_[to].balance += accounts_[from].balance;  // BUG(peek)
    accounts_[from].balance = 0;                       // BUG(peek)
  }

  void end_shift(int teller, long cash) {
    cash_[static_cast<size_t>(teller)] = cash;  // BUG(cash)
    ledger_.sign(teller);
  }

  // Forms first.
  long audit(int pages) {
    std::vector<int> forms(static_cast<size_t>(pages));
    for (int& form : forms) form = static_cast<int>(accounts_.size());
    ledger_.sign(static_cast<int>(cash_.size()));
    long sum = 0;
    for (long one : cash_) sum += one;  // BUG(cash)
    return sum;
  }

  long total() {
    long sum = 0;
    for (Account& account : accounts_) {
      std::lock_guard guard(account.lock);
      sum += account.balance;
    }
    return sum;
  }

  int signatures() { return ledger_.signatures(); }
  size_t accounts() const { return accounts_.size(); }

 private:
  std::vector<Account> accounts_;
  Ledger ledger_;
  std::vector<long> cash_;  // one per teller
};

void run_teller(Bank& bank, int me, int transfers) {
  unsigned random = 99u + static_cast<unsigned>(me);
  auto next = [&](size_t below) {
    random = random * 1103515245u + 12345u;
    return (random >> 16) % below;
  };
  for (int i = 0; i < transfers; i++) {
    const size_t from = next(bank.accounts()), to = next(bank.accounts());
    bank.transfer(from, to, static_cast<long>(1 + next(50)));
  }
  // Tellers close accounts pairwise, the odd ones in the opposite direction.
  if (me == 0) bank.close(0, 1);
  if (me == 1) bank.close(1, 0);
  bank.end_shift(me, 10 * me);
}

int argument(int argc, char** argv, int which, int fallback) {
  return which < argc ? std::atoi(argv[which]) : fallback;
}

int main(int argc, char** argv) {
  const int transfers = argument(argc, argv, 1, 200);
  const int tellers = argument(argc, argv, 2, 7);
  const int accounts = argument(argc, argv, 3, 10);

  Bank bank(accounts, tellers);
  std::vector<std::thread> threads;
  for (int i = 0; i < tellers; i++) {
    threads.emplace_back([&, i] { run_teller(bank, i, transfers); });
  }
  // The auditor comes when all but one have gone home.
  for (int i = 0; i < tellers - 1; i++) threads[static_cast<size_t>(i)].join();
  volatile long cash = 0;
  std::thread auditor([&] { cash = bank.audit(20 * transfers); });
  threads.back().join();
  auditor.join();

  std::printf("bank: %d tellers, %ld in %d accounts, %d signatures\n", tellers, bank.total(),
              accounts, bank.signatures());
  return bank.total() == 1000L * accounts && bank.signatures() == tellers + 1 ? 0 : 1;
}
