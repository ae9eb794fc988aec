// ftp: a session server in the manner of FTP. Clients connect through a listener, log in, store,
// fetch and list files, and quit; each session has a thread of its own. A reaper looks for sessions
// that have gone quiet; shutdown() closes what is left. Connections are in-memory channels, so that
// only the program's own locks order its threads.
//
// usage: ftp [FILES [CLIENTS]]
// test: 2 2
//
// Self-check: every client fetches back what it stored, and the store holds all files at the end.
//
// BUG(capacity) every run: the listener says that it accepts before it has set the capacity: a flag
//   published before its data.
// BUG(close_user) every run: shutdown() forgets the user of a session whose thread may still be
//   about to say goodbye to it. The client was answered before, so nothing orders the two.
// BUG(logins) every run: logins are counted without a lock, in each session's first command.
// BUG(quota) every run: two sessions of one user charge its quota without a lock. A session's first
//   charge comes before it ever takes the lock of the store, so that nothing orders it.
// BUG(last_active) every run: sessions stamp their last activity without a lock; the reaper reads
//   it under the server's, which sessions never take.
// BUG(transfers) predicted: a session adds its transfers to the server's before it logs its end;
//   the accountant logs its start, then reads the sum. The run orders the two by the lock of the
//   log, whose lines are suppressed; nothing requires that order.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

class Log {
 public:
  void debug(const char* what) {
    std::lock_guard guard(lock_);
    if (!verbose_) return;
    std::fprintf(stderr, "ftp: %s\n", what);
  }

 private:
  std::mutex lock_;
  bool verbose_ = false;
};

// One direction of a connection: lines of text.
class Channel {
 public:
  void send(std::string line) {
    std::lock_guard guard(lock_);
    lines_.push_back(std::move(line));
    changed_.notify_one();
  }

  // Nothing once the channel is closed and drained.
  std::optional<std::string> receive() {
    std::unique_lock lock(lock_);
    changed_.wait(lock, [this] { return closed_ || !lines_.empty(); });
    if (lines_.empty()) return std::nullopt;
    std::string line = std::move(lines_.front());
    lines_.pop_front();
    return line;
  }

  void close() {
    std::lock_guard guard(lock_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  bool closed_ = false;
};

struct Connection {
  Channel to_server, to_client;
};

class FileStore {
 public:
  void put(const std::string& name, std::string content) {
    std::lock_guard guard(lock_);
    files_[name] = std::move(content);
  }

  std::optional<std::string> get(const std::string& name) {
    std::lock_guard guard(lock_);
    const auto file = files_.find(name);
    if (file == files_.end()) return std::nullopt;
    return file->second;
  }

  size_t count() {
    std::lock_guard guard(lock_);
    return files_.size();
  }

 private:
  std::mutex lock_;
  std::map<std::string, std::string> files_;
};

struct User {
  std::string name;
  long quota_used = 0;
};

class Server;

class Session {
 public:
  Session(Server& server, std::shared_ptr<Connection> connection)
      : server_(server), connection_(std::move(connection)), thread_([this] { run(); }) {}

  void close() {
    user_ = nullptr;  // BUG(close_user)
    connection_->to_server.close();
  }

  void join() { thread_.join(); }
  int last_active() const {
    return last_active_;  // BUG(last_active)
  }

 private:
  void run();
  std::string answer(const std::string& verb, const std::string& argument);

  Server& server_;
  std::shared_ptr<Connection> connection_;
  User* user_ = nullptr;
  std::string pending_;  // the name that STOR gave; the next line is the content
  int transfers_ = 0;
  int last_active_ = 0;
  std::thread thread_;  // last: it uses all of the above
};

class Server {
 public:
  Server() : listener_([this] { listen(); }), reaper_([this] { reap(); }) {}

  // Null while the server does not accept, or has too many waiting.
  std::shared_ptr<Connection> connect() {
    if (!accepting_.load(std::memory_order_acquire)) return nullptr;
    const size_t room = capacity_;  // BUG(capacity)
    std::lock_guard guard(lock_);
    if (pending_.size() >= room) return nullptr;
    pending_.push_back(std::make_shared<Connection>());
    changed_.notify_all();
    return pending_.back();
  }

  void shutdown() {
    {
      std::lock_guard guard(lock_);
      stopping_ = true;
      changed_.notify_all();
    }
    listener_.join();
    reaper_.join();
    for (auto& session : sessions_) session->close();
    for (auto& session : sessions_) session->join();
  }

  // What the accountant does once, at a time of its choosing.
  int account() {
    log.debug("accountant");
    return transfers;  // BUG(transfers)
  }

  Log log;
  FileStore files;
  int logins = 0;
  int transfers = 0;
  std::mutex transfers_lock;
  User anonymous{"anonymous"};

 private:
  void listen() {
    accepting_.store(true, std::memory_order_release);
    capacity_ = 8;  // BUG(capacity)
    std::unique_lock lock(lock_);
    for (;;) {
      changed_.wait(lock, [this] { return stopping_ || !pending_.empty(); });
      if (pending_.empty()) return;
      sessions_.push_back(std::make_unique<Session>(*this, pending_.front()));
      pending_.pop_front();
      changed_.notify_all();
    }
  }

  // Passes once for every session that has come, and once more at the end.
  void reap() {
    std::unique_lock lock(lock_);
    size_t seen = 0;
    while (!stopping_) {
      changed_.wait(lock, [&] { return stopping_ || sessions_.size() > seen; });
      seen = sessions_.size();
      for (const auto& session : sessions_) quietest_ = std::min(quietest_, session->last_active());
    }
  }

  std::mutex lock_;  // of what follows, up to the threads
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Connection>> pending_;
  std::vector<std::unique_ptr<Session>> sessions_;
  bool stopping_ = false;
  int quietest_ = 0;
  std::atomic<bool> accepting_{false};
  size_t capacity_ = 0;
  std::thread listener_, reaper_;
};

void Session::run() {
  connection_->to_client.send("220 ready");
  while (const auto line = connection_->to_server.receive()) {
    last_active_++;  // BUG(last_active)
    if (!pending_.empty()) {
      server_.anonymous.quota_used += static_cast<long>(line->size());  // BUG(quota)
      server_.files.put(pending_, *line);
      pending_.clear();
      transfers_++;
      connection_->to_client.send("226 stored");
      continue;
    }
    const size_t space = line->find(' ');
    const std::string verb = line->substr(0, space);
    connection_->to_client.send(
        answer(verb, space == std::string::npos ? "" : line->substr(space + 1)));
    if (verb == "QUIT") break;
  }
  {
    std::lock_guard guard(server_.transfers_lock);
    server_.transfers += transfers_;  // BUG(transfers)
  }
  if (user_) server_.log.debug("goodbye");  // BUG(close_user)
  server_.log.debug("session ends");
}

std::string Session::answer(const std::string& verb, const std::string& argument) {
  if (verb == "USER") {
    server_.logins++;            // BUG(logins)
    user_ = &server_.anonymous;  // BUG(close_user)
    return "230 hello " + argument;
  }
  if (!user_) return "530 log in first";  // BUG(close_user)
  if (verb == "STOR") {
    pending_ = argument;
    return "150 send it";
  }
  if (verb == "RETR") {
    transfers_++;
    return server_.files.get(argument).value_or("550 no such file");
  }
  if (verb == "LIST") return "213 " + std::to_string(server_.files.count());
  return verb == "QUIT" ? "221 bye" : "502 what?";
}

// Returns how many of its files came back as they were stored.
int run_client(Server& server, int me, int files) {
  std::shared_ptr<Connection> connection;
  while (!(connection = server.connect())) std::this_thread::yield();
  auto say = [&](const std::string& line) {
    connection->to_server.send(line);
    return connection->to_client.receive().value_or("");
  };
  connection->to_client.receive();
  if (say("LIST") != "530 log in first") return 0;
  say("USER anonymous");
  int right = 0;
  for (int i = 0; i < files; i++) {
    const std::string name = "file-" + std::to_string(me) + "-" + std::to_string(i);
    const std::string content = "content of " + name;
    say("STOR " + name);
    say(content);
    right += say("RETR " + name) == content;
  }
  say("QUIT");
  return right;
}

int argument(int argc, char** argv, int which, int fallback) {
  return which < argc ? std::atoi(argv[which]) : fallback;
}

int main(int argc, char** argv) {
  const int files = argument(argc, argv, 1, 12);
  const int clients = argument(argc, argv, 2, 5);

  Server server;
  std::vector<int> right(static_cast<size_t>(clients));
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; i++) {
    threads.emplace_back([&, i] { right[static_cast<size_t>(i)] = run_client(server, i, files); });
  }
  for (std::thread& thread : threads) thread.join();
  volatile int accounted = 0;
  std::thread accountant([&] { accounted = server.account(); });
  server.shutdown();
  accountant.join();

  int sum = 0;
  for (int one : right) sum += one;
  std::printf("ftp: %d files came back, %zu stored, %d transfers\n", sum, server.files.count(),
              server.transfers);
  return sum == files * clients && server.transfers == 2 * sum ? 0 : 1;
}
