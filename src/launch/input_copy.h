// SPDX-License-Identifier: Apache-2.0

// InputCopy: our standard input, for a program that reads it now and will read it again.
//
// A pipe or a terminal can be read only once. So the program gets a pipe of ours instead, and a
// thread copies into it what comes in, and into a file. Nothing is read that the program's pipe has
// no room for, except for what was under way when the program ended.
#pragma once

#include <string>
#include <thread>

#include "base/diagnostic.h"

namespace foretell::launch {

class InputCopy {
 public:
  // Makes the file and the pipe.
  static Result<InputCopy> open(const std::string& file);
  InputCopy(InputCopy&& other) noexcept;
  InputCopy& operator=(InputCopy&&) = delete;
  // Ends the copying.
  ~InputCopy();

  // What the program is to read from.
  int reading_end() const { return reading_end_; }
  // The program has its end: we begin to copy, and have no use for that end.
  void begin();

 private:
  InputCopy() = default;
  static void copy(int file, int writing_end, int stop);

  int file_ = -1, reading_end_ = -1, writing_end_ = -1;
  int stop_ = -1;         // an event: nobody reads any more
  int stop_reader_ = -1;  // its other end, of the thread
  std::thread thread_;
};

}  // namespace foretell::launch
