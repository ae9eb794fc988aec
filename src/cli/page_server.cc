// SPDX-License-Identifier: Apache-2.0

#include "cli/page_server.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "cli/interruption.h"

namespace foretell::cli {
namespace {

constexpr size_t kLongestRequest = 16384;
constexpr int kMostConnections = 32;

std::unexpected<Diagnostic> failed(const char* what) {
  Diagnostic diagnostic{fmt::format("cannot {}: {}", what, std::strerror(errno)), ""};
  diagnostic.exit_code = ExitCode::io_error;
  return std::unexpected(std::move(diagnostic));
}

Result<std::string> random_token() {
  unsigned char bytes[16];
  if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return failed("get random bytes");
  std::string token;
  for (unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

// The value of a header, whose name is given in lower case; empty if there is none.
std::string header(const std::string& request, std::string_view name) {
  for (size_t at = request.find("\r\n"); at != std::string::npos; at = request.find("\r\n", at)) {
    at += 2;
    const size_t end = std::min(request.find("\r\n", at), request.size());
    const size_t colon = request.find(':', at);
    if (colon >= end) continue;
    std::string key = request.substr(at, colon - at);
    for (char& c : key) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (key != name) continue;
    const size_t value = request.find_first_not_of(' ', colon + 1);
    return value < end ? request.substr(value, end - value) : "";
  }
  return "";
}

}  // namespace

Result<PageServer> PageServer::open(uint16_t port) {
  FORETELL_TRY(token, random_token());
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return failed("open a socket");
  PageServer server(socket, port, token);
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  if (::bind(socket, generic, size) != 0 || ::listen(socket, 16) != 0 ||
      ::getsockname(socket, generic, &size) != 0) {
    return failed(fmt::format("listen on 127.0.0.1:{}", port).c_str());
  }
  server.port_ = ntohs(address.sin_port);
  return server;
}

PageServer::PageServer(PageServer&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      port_(other.port_),
      token_(std::move(other.token_)) {}

PageServer::~PageServer() {
  if (socket_ >= 0) ::close(socket_);
}

std::string PageServer::url() const {
  return fmt::format("http://127.0.0.1:{}/{}/", port_, token_);
}

std::string PageServer::answer(const std::string& request, const std::string& page) const {
  const std::string host = header(request, "host");
  const bool is_ours =
      host == fmt::format("127.0.0.1:{}", port_) || host == fmt::format("localhost:{}", port_);
  const bool is_head = request.starts_with(fmt::format("HEAD /{}/ ", token_));
  if (!is_ours || (!is_head && !request.starts_with(fmt::format("GET /{}/ ", token_)))) {
    return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  }
  const std::string head = fmt::format(
      "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n"
      "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: "
      "nosniff\r\n"
      "X-Frame-Options: DENY\r\nConnection: close\r\n\r\n",
      page.size());
  return is_head ? head : head + page;
}

void PageServer::talk(int connection, const std::string& page) const {
  // Browsers open connections they then do not use.
  const timeval patience{.tv_sec = 10, .tv_usec = 0};
  ::setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  std::string request;
  char buffer[4096];
  while (request.size() < kLongestRequest && request.find("\r\n\r\n") == std::string::npos) {
    const ssize_t got = ::recv(connection, buffer, sizeof buffer, 0);
    if (got <= 0) break;
    request.append(buffer, static_cast<size_t>(got));
  }
  if (request.find("\r\n\r\n") != std::string::npos) {
    const std::string reply = answer(request, page);
    for (size_t sent = 0; sent < reply.size();) {
      const ssize_t n = ::send(connection, reply.data() + sent, reply.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) break;
      sent += static_cast<size_t>(n);
    }
  }
  ::close(connection);
}

Result<void> PageServer::serve(const std::string& page) {
  const Interruptible until_signalled;  // a signal ends serving, not the process
  std::atomic<int> connections = 0;
  while (!Interruptible::flag()) {
    pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
    // A signal may come just before poll: look again now and then.
    if (::poll(&waiting, 1, 500) <= 0) continue;
    const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    if (connections >= kMostConnections) {
      ::close(connection);
      continue;
    }
    ++connections;
    std::thread([this, connection, &page, &connections] {
      talk(connection, page);
      --connections;
    }).detach();
  }
  // They hold references to what dies with this function.
  while (connections > 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return {};
}

}  // namespace foretell::cli
