// mqserver: a server of message queues, in the manner of a Thrift server: an acceptor wraps each
// client's transport into a task, a thread manager hands tasks to workers, and a worker processes
// the calls of its connection, publish and fetch, on named queues.
//
// usage: mqserver [MESSAGES [CLIENTS [WORKERS]]]
// test: 2 2 2
// determinism: 3 2 1
// determinism: 12 3 2
//
// Self-check: every message that was published was fetched once, with its content.
//
// No bugs: tools must be silent. Which thread fetches which message depends on the schedule; the set
// of messages does not.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// Something to put things into and to wait for.
template <class T>
class Channel {
 public:
  void put(T value) {
    std::lock_guard guard(lock_);
    values_.push_back(std::move(value));
    filled_.notify_one();
  }

  void close() {
    std::lock_guard guard(lock_);
    closed_ = true;
    filled_.notify_all();
  }

  // False when it is closed and empty.
  bool take(T& value) {
    std::unique_lock lock(lock_);
    filled_.wait(lock, [this] { return closed_ || !values_.empty(); });
    if (values_.empty()) return false;
    value = std::move(values_.front());
    values_.pop_front();
    return true;
  }

 private:
  std::mutex lock_;
  std::condition_variable filled_;
  std::deque<T> values_;
  bool closed_ = false;
};

struct Call {
  bool publish = false;
  int queue = 0;
  int message = 0;
};

// Both directions between one client and the worker that serves it.
struct Transport {
  Channel<Call> calls;
  Channel<int> replies;
};

// lock_  messages_ and counters
class MessageQueue {
 public:
  void publish(int message) {
    std::lock_guard guard(lock_);
    messages_.push_back(message);
    published_++;
  }

  // The oldest message, or -1.
  int fetch() {
    std::lock_guard guard(lock_);
    if (messages_.empty()) return -1;
    const int message = messages_.front();
    messages_.pop_front();
    fetched_++;
    return message;
  }

  bool is_balanced() {
    std::lock_guard guard(lock_);
    return messages_.empty() && published_ == fetched_;
  }

 private:
  std::mutex lock_;
  std::deque<int> messages_;
  int published_ = 0, fetched_ = 0;
};

class Handler {
 public:
  int process(const Call& call) {
    MessageQueue& queue = queue_of(call.queue);
    if (!call.publish) return queue.fetch();
    queue.publish(call.message);
    return call.message;
  }

  bool is_balanced() {
    bool balanced = true;
    for (auto& [name, queue] : queues_) balanced = balanced && queue->is_balanced();
    return balanced;
  }

 private:
  MessageQueue& queue_of(int name) {
    std::lock_guard guard(lock_);
    std::unique_ptr<MessageQueue>& queue = queues_[name];
    if (!queue) queue = std::make_unique<MessageQueue>();
    return *queue;
  }

  std::mutex lock_;
  std::map<int, std::unique_ptr<MessageQueue>> queues_;
};

// Runs tasks on a fixed number of threads.
class ThreadManager {
 public:
  explicit ThreadManager(int workers) {
    for (int i = 0; i < workers; i++) {
      threads_.emplace_back([this] {
        std::function<void()> task;
        while (tasks_.take(task)) task();
      });
    }
  }
  void add(std::function<void()> task) { tasks_.put(std::move(task)); }
  void stop() {
    tasks_.close();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  Channel<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
};

void serve(Transport& transport, Handler& handler) {
  Call call;
  while (transport.calls.take(call)) transport.replies.put(handler.process(call));
}

// Publishes and fetches in turn; the sum of what it fetched. A fetch after one's own publish always
// finds something.
long client(Transport& transport, int me, int messages) {
  long sum = 0;
  for (int i = 0; i < messages; i++) {
    const int queue = i % 2;
    int reply = 0;
    transport.calls.put({true, queue, me * 1000 + i});
    transport.replies.take(reply);
    transport.calls.put({false, queue, 0});
    transport.replies.take(reply);
    sum += reply;
  }
  transport.calls.close();
  return sum;
}

int argument(int argc, char** argv, int which, int fallback) {
  return which < argc ? std::atoi(argv[which]) : fallback;
}

int main(int argc, char** argv) {
  const int messages = argument(argc, argv, 1, 40);
  const int clients = argument(argc, argv, 2, 4);
  ThreadManager manager(argument(argc, argv, 3, 2));

  Handler handler;
  std::vector<std::unique_ptr<Transport>> transports;
  std::vector<long> sums(static_cast<size_t>(clients));
  std::vector<std::thread> threads;
  long expected = 0;
  for (int me = 0; me < clients; me++) {
    transports.push_back(std::make_unique<Transport>());
    Transport& transport = *transports.back();
    manager.add([&transport, &handler] { serve(transport, handler); });
    threads.emplace_back([&sums, &transport, me, messages] {
      sums[static_cast<size_t>(me)] = client(transport, me, messages);
    });
    for (int i = 0; i < messages; i++) expected += me * 1000 + i;
  }
  for (std::thread& thread : threads) thread.join();
  manager.stop();
  long sum = 0;
  for (long one : sums) sum += one;
  std::printf("mqserver: %d messages, sum %ld\n", messages * clients, sum);
  return sum == expected && handler.is_balanced() ? 0 : 1;
}
