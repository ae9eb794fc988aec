// SPDX-License-Identifier: Apache-2.0

// PageServer: one page, over HTTP, to browsers of this machine only.
//
// It listens on the loopback address, and the page lies under a random path, so neither other
// machines nor other users' programs nor web sites that send a browser here can read it: requests
// for another path, or that name another host (DNS rebinding), get an empty 404.
#pragma once

#include <cstdint>
#include <string>

#include "base/diagnostic.h"

namespace foretell::cli {

class PageServer {
 public:
  // Port 0: any free one.
  static Result<PageServer> open(uint16_t port);
  PageServer(PageServer&& other) noexcept;
  PageServer& operator=(PageServer&&) = delete;
  ~PageServer();

  std::string url() const;
  // Answers until SIGINT or SIGTERM.
  Result<void> serve(const std::string& page);

  // The whole answer to a request; for tests too.
  std::string answer(const std::string& request, const std::string& page) const;

 private:
  PageServer(int socket, uint16_t port, std::string token)
      : socket_(socket), port_(port), token_(std::move(token)) {}
  void talk(int connection, const std::string& page) const;

  int socket_;
  uint16_t port_;
  std::string token_;
};

}  // namespace foretell::cli
