// SPDX-License-Identifier: Apache-2.0

#include "launch/run_trace.h"

#include "trace/open.h"

namespace foretell::launch {

Result<std::unique_ptr<trace::TraceReader>> RunTrace::open() const {
  if (kept_ != nullptr && kept_->is_whole()) return trace::KeptTrace::reader(kept_);
  FORETELL_TRY(file, InputFile::open(file_));
  return open_trace(std::move(file), trace::TraceFormat::ftrace);
}

}  // namespace foretell::launch
