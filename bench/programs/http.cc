// http: an HTTP/1.1 server with an acceptor, a bounded queue of connections and a pool of workers,
// and clients in the same process that talk to it over loopback sockets with keep-alive.
//
// usage: http [REQUESTS [CLIENTS [WORKERS]]]
// test: 4 2 2
//
// Self-check: every answer has the status and body its request must get, and the workers' own
// tallies add up to what the clients sent.
//
// BUG(idle_count) every run: workers count themselves idle without a lock. The first thing a worker
//   does is not ordered with anything the others do, so happens-before sees it.
// BUG(stop_flag) every run: stop() clears a plain bool that the acceptor reads. The acceptor's last
//   look is followed by nothing that main waits for.
// BUG(hits) some runs: requests are counted without a lock. Sockets order every send before every
//   later receive, so it takes a run in which two workers have received before either has answered.
// BUG(revision) predicted: the warm-up thread computes the revision, workers send it. In a run that
//   passes, the warm-up is long over, and the lock of a log line that is not even printed orders it
//   before the worker's log line. Nothing requires that order.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

enum class Level { debug, error };

class Log {
 public:
  void write(Level level, const char* what) {
    std::lock_guard guard(lock_);
    if (level < threshold_) return;
    std::fprintf(stderr, "http: %s\n", what);
  }

 private:
  std::mutex lock_;
  Level threshold_ = Level::error;
};

// Accepted connections that wait for a worker.
class ConnectionQueue {
 public:
  void push(int connection) {
    std::unique_lock lock(lock_);
    not_full_.wait(lock, [this] { return waiting_.size() < kRoom; });
    waiting_.push_back(connection);
    not_empty_.notify_one();
  }

  // -1 once the queue is closed and empty.
  int pop() {
    std::unique_lock lock(lock_);
    not_empty_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return -1;
    const int connection = waiting_.front();
    waiting_.pop_front();
    not_full_.notify_one();
    return connection;
  }

  void close() {
    std::lock_guard guard(lock_);
    closed_ = true;
    not_empty_.notify_all();
  }

 private:
  static constexpr size_t kRoom = 4;
  std::mutex lock_;
  std::condition_variable not_empty_, not_full_;
  std::deque<int> waiting_;
  bool closed_ = false;
};

// Takes one message up to its blank line from a stream of bytes; what follows is kept.
class MessageReader {
 public:
  explicit MessageReader(int socket) : socket_(socket) {}

  // False at the end of the stream.
  bool next(std::string& head) {
    size_t end;
    while ((end = pending_.find("\r\n\r\n")) == std::string::npos) {
      if (!receive()) return false;
    }
    head = pending_.substr(0, end + 2);
    pending_.erase(0, end + 4);
    return true;
  }

  std::string body(size_t size) {
    while (pending_.size() < size && receive()) {
    }
    std::string result = pending_.substr(0, size);
    pending_.erase(0, size);
    return result;
  }

 private:
  bool receive() {
    char buffer[512];
    const ssize_t got = recv(socket_, buffer, sizeof buffer, 0);
    if (got <= 0) return false;
    pending_.append(buffer, static_cast<size_t>(got));
    return true;
  }

  int socket_;
  std::string pending_;
};

bool send_all(int socket, const std::string& bytes) {
  return send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(bytes.size());
}

struct Answer {
  int status;
  std::string body;
};

struct Tally {
  int ok = 0, missing = 0;
};

class Server {
 public:
  explicit Server(int workers) : tallies_(static_cast<size_t>(workers)) {
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address_;
    if (bind(listener_, reinterpret_cast<sockaddr*>(&any), sizeof any) != 0 ||
        listen(listener_, 16) != 0 ||
        getsockname(listener_, reinterpret_cast<sockaddr*>(&address_), &length) != 0) {
      std::perror("http: cannot listen on the loopback interface");
      std::exit(1);
    }
  }

  void start() {
    warm_up_ = std::thread([this] { warm_up(); });
    acceptor_ = std::thread([this] { accept_connections(); });
    for (Tally& tally : tallies_) workers_.emplace_back([this, &tally] { work(tally); });
  }

  void stop() {
    running_ = false;        // BUG(stop_flag)
    close(connect_to_it());  // accept() must return once more to see that
    acceptor_.join();
    queue_.close();
    for (std::thread& worker : workers_) worker.join();
    warm_up_.join();
    close(listener_);
  }

  int connect_to_it() const {
    const int connection = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(connection, reinterpret_cast<const sockaddr*>(&address_), sizeof address_) == 0) {
      return connection;
    }
    std::perror("http: cannot connect");
    std::exit(1);
  }

  Tally served() const {
    Tally sum;
    for (const Tally& tally : tallies_) {
      sum.ok += tally.ok;
      sum.missing += tally.missing;
    }
    return sum;
  }

 private:
  void warm_up() {
    uint32_t hash = 2166136261;
    for (const char* c = kIndex; *c; c++) hash = (hash ^ static_cast<uint8_t>(*c)) * 16777619;
    revision_ = hash;  // BUG(revision)
    log_.write(Level::debug, "warm");
  }

  void accept_connections() {
    while (running_) {  // BUG(stop_flag)
      const int connection = accept(listener_, nullptr, nullptr);
      if (connection >= 0) queue_.push(connection);
    }
  }

  void work(Tally& tally) {
    for (;;) {
      idle_++;  // BUG(idle_count)
      const int connection = queue_.pop();
      idle_--;  // BUG(idle_count)
      if (connection < 0) return;
      log_.write(Level::debug, "connection taken");
      serve(connection, tally);
      close(connection);
    }
  }

  void serve(int connection, Tally& tally) {
    MessageReader reader(connection);
    std::string head;
    while (reader.next(head)) {
      hits_++;  // BUG(hits)
      log_.write(Level::debug, "request");
      const Answer answer = respond(head);
      (answer.status == 200 ? tally.ok : tally.missing)++;
      char line[128];
      std::snprintf(line, sizeof line,
                    "HTTP/1.1 %d X\r\nContent-Length: %zu\r\nETag: \"%08x\"\r\n\r\n", answer.status,
                    answer.body.size(),
                    revision_);  // BUG(revision)
      if (!send_all(connection, line + answer.body)) return;
    }
  }

  Answer respond(const std::string& head) {
    const size_t begin = head.find(' ') + 1;
    const std::string path = head.substr(begin, head.find(' ', begin) - begin);
    if (path == "/") return {200, kIndex};
    if (path.rfind("/echo/", 0) == 0) return {200, path.substr(6)};
    if (path == "/stats") {
      return {200, std::to_string(hits_) + " hits, " +      // BUG(hits)
                       std::to_string(idle_) + " idle\n"};  // BUG(idle_count)
    }
    return {404, "not here\n"};
  }

  static constexpr const char* kIndex = "<html><body>It works.</body></html>\n";
  int listener_;
  sockaddr_in address_{};
  bool running_ = true;
  Log log_;
  ConnectionQueue queue_;
  long hits_ = 0;
  int idle_ = 0;
  uint32_t revision_ = 0;
  std::vector<Tally> tallies_;  // one per worker, read when all have ended
  std::thread warm_up_, acceptor_;
  std::vector<std::thread> workers_;
};

// Sends its requests one after the other on one connection; returns how many answers were right.
int run_client(const Server& server, int me, int requests) {
  const int connection = server.connect_to_it();
  MessageReader reader(connection);
  int right = 0;
  for (int i = 0; i < requests; i++) {
    const std::string echo = "/echo/client-" + std::to_string(me) + "-" + std::to_string(i);
    const std::string paths[] = {"/", echo, "/stats", "/missing"};
    const std::string& path = paths[i % 4];
    if (!send_all(connection, "GET " + path + " HTTP/1.1\r\nHost: loopback\r\n\r\n")) break;
    std::string head;
    if (!reader.next(head)) break;
    const int status = std::atoi(head.c_str() + head.find(' '));
    const size_t length = head.find("Content-Length: ") + 16;
    const std::string body = reader.body(std::strtoul(head.c_str() + length, nullptr, 10));
    const bool good_body = path != echo || body == echo.substr(6);
    right += good_body && status == (path == "/missing" ? 404 : 200);
  }
  close(connection);
  return right;
}

int argument(int argc, char** argv, int which, int fallback) {
  return which < argc ? std::atoi(argv[which]) : fallback;
}

int main(int argc, char** argv) {
  const int requests = argument(argc, argv, 1, 24);
  const int clients = argument(argc, argv, 2, 6);
  const int workers = argument(argc, argv, 3, 4);

  Server server(workers);
  server.start();
  std::vector<int> right(static_cast<size_t>(clients));
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; i++) {
    threads.emplace_back(
        [&, i] { right[static_cast<size_t>(i)] = run_client(server, i, requests); });
  }
  for (std::thread& thread : threads) thread.join();
  server.stop();

  int sum = 0;
  for (int one : right) sum += one;
  const Tally served = server.served();
  std::printf("http: %d right answers, %d found, %d missing\n", sum, served.ok, served.missing);
  return sum == requests * clients && served.ok + served.missing == sum ? 0 : 1;
}
