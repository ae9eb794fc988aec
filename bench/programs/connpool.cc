// connpool: threads share a few connections. Who finds none free waits for one to come back.
//
// usage: connpool [QUERIES [CLIENTS [CONNECTIONS]]]
// test: 3 3 2
// determinism: 2 3 2
//
// Self-check: every query was answered, by a connection that nobody else used.
//
// No bugs: tools must be silent. The schedule decides which connection serves whom; no result depends on it.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

// Used by one thread at a time: it has no lock of its own.
struct Connection {
  int queries = 0;
  int user = 0;

  bool query(int client) {
    user = client;
    queries++;
    return user == client;
  }
};

// lock_  free_ and waits_
class Pool {
 public:
  explicit Pool(int size) : connections_(static_cast<size_t>(size)) {
    for (Connection& one : connections_) free_.push_back(&one);
  }

  Connection& take() {
    std::unique_lock lock(lock_);
    while (free_.empty()) {
      waits_++;
      returned_.wait(lock);
    }
    Connection& one = *free_.back();
    free_.pop_back();
    return one;
  }

  void give_back(Connection& one) {
    std::lock_guard guard(lock_);
    free_.push_back(&one);
    returned_.notify_one();
  }

  // Of all connections, when they have come back.
  int queries() const {
    int sum = 0;
    for (const Connection& one : connections_) sum += one.queries;
    return sum;
  }

 private:
  std::mutex lock_;
  std::condition_variable returned_;
  std::vector<Connection*> free_;
  std::vector<Connection> connections_;
  int waits_ = 0;
};

int argument(int argc, char** argv, int which, int fallback) {
  return which < argc ? std::atoi(argv[which]) : fallback;
}

int main(int argc, char** argv) {
  const int queries = argument(argc, argv, 1, 50);
  const int clients = argument(argc, argv, 2, 6);

  Pool pool(argument(argc, argv, 3, 3));
  std::vector<int> answered(static_cast<size_t>(clients));
  std::vector<std::thread> threads;
  for (int me = 0; me < clients; me++) {
    threads.emplace_back([&, me] {
      for (int i = 0; i < queries; i++) {
        Connection& connection = pool.take();
        answered[static_cast<size_t>(me)] += connection.query(me);
        pool.give_back(connection);
      }
    });
  }
  int sum = 0;
  for (std::thread& thread : threads) thread.join();
  for (int one : answered) sum += one;
  std::printf("connpool: %d answers, %d queries\n", sum, pool.queries());
  return sum == queries * clients && pool.queries() == sum ? 0 : 1;
}
