// SPDX-License-Identifier: Apache-2.0

// Lines of code with their indentation.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace foretell::tiddle {

class CodeWriter {
 public:
  explicit CodeWriter(size_t indent_width) : width_(indent_width) {}

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    raw_line(fmt::format(format, std::forward<Args>(args)...));
  }
  void raw_line(std::string_view text) {
    if (!text.empty()) text_.append(depth_ * width_, ' ');
    text_ += text;
    text_ += '\n';
  }
  void blank() { text_ += '\n'; }
  void raw(std::string_view text) { text_ += text; }

  // `head {` ... `}tail`
  void open(std::string_view head) {
    raw_line(head.empty() ? "{" : fmt::format("{} {{", head));
    ++depth_;
  }
  void close(std::string_view tail = "") {
    --depth_;
    raw_line(fmt::format("}}{}", tail));
  }
  void indent() { ++depth_; }
  void dedent() { --depth_; }

  std::string take() { return std::move(text_); }

 private:
  size_t width_;
  size_t depth_ = 0;
  std::string text_;
};

}  // namespace foretell::tiddle
