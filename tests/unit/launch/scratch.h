// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace foretell::launch {

// A folder that is gone after the test.
class Scratch {
 public:
  Scratch() {
    std::string pattern = testing::TempDir() + "foretell-replay-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { std::filesystem::remove_all(path_); }

  std::string path(const std::string& name = "") const {
    return name.empty() ? path_ : path_ + '/' + name;
  }
  // A shell script that stands for a program.
  std::string script(const std::string& name, const std::string& body) const {
    write(name, "#!/bin/sh\n" + body + "\n");
    ::chmod(path(name).c_str(), 0755);
    return path(name);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }

 private:
  std::string path_;
};

}  // namespace foretell::launch
