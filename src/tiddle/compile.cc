// SPDX-License-Identifier: Apache-2.0

#include "tiddle/compile.h"

#include <vector>

#include "base/check.h"

#include "tiddle/plan.h"
#include "tiddle/target.h"

namespace foretell::tiddle {
namespace {

bool is_java_class_name(const std::string& name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  for (char c : name) {
    const bool word =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!word) return false;
  }
  return true;
}

Result<void> check_options(const CompileOptions& options) {
  if (options.lockstep && options.noise != Noise::none) {
    return fail("noise only makes sense in a program without lockstep");
  }
  if (options.language == TargetLanguage::java && !is_java_class_name(options.name)) {
    return fail("'{}' is not a name for a Java class", options.name);
  }
  if (options.name.find_first_of("\r\n\\") != std::string::npos) {
    return fail("a program's name is one line without backslashes");
  }
  return {};
}

}  // namespace

Result<std::string> compile_tiddle(std::span<const TraceView> traces,
                                   const CompileOptions& options) {
  if (auto ok = check_options(options); !ok) {
    Diagnostic diagnostic = std::move(ok).error();
    diagnostic.exit_code = ExitCode::usage;
    return std::unexpected(std::move(diagnostic));
  }
  std::vector<Plan> plans;
  size_t first_step = 0;
  for (size_t i = 0; i < traces.size(); ++i) {
    auto plan = make_plan(traces[i], options);
    if (!plan) {
      Diagnostic diagnostic = std::move(plan).error();
      if (traces.size() > 1) {
        diagnostic.where = fmt::format("trace {}, {}", i + 1, diagnostic.where);
      }
      return std::unexpected(std::move(diagnostic));
    }
    plan->first_step = first_step;
    first_step += plan->events.size();
    plans.push_back(std::move(*plan));
  }
  switch (options.language) {
    case TargetLanguage::cxx:
      return write_cxx_program(plans, options);
    case TargetLanguage::java:
      return write_java_program(plans, options);
  }
  CHECK(false);
}

Result<std::string> compile_tiddle(const trace::Trace& raw, const CompileOptions& options) {
  const TraceView view{raw.tables, raw.events};
  return compile_tiddle(std::span(&view, 1), options);
}

}  // namespace foretell::tiddle
