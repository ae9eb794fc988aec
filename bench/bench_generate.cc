// bench_generate: writes a synthetic trace to a file, for bench/run and for stress tests by hand.
//
//   build/release/bin/bench_generate --events=10000000 --threads=8 -o big.ftrace
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "trace/ftrace/ftrace_writer.h"
#include "trace/reader.h"
#include "trace/synthetic/synthetic.h"
#include "trace/tiddle/tiddle_reader.h"

namespace foretell {
namespace {

// What STD calls an event and its operand. Kinds it has no word for are left out: begin and end of
// a thread follow from fork and join, and main() refuses --atomics, --blocks, --barrier-every and
// --waits.
struct StdWord {
  trace::EventKind kind;
  const char* operation;
  char operand;
};
constexpr StdWord kStdWords[] = {
    {trace::EventKind::Read, "r", 'V'},      {trace::EventKind::Write, "w", 'V'},
    {trace::EventKind::Acquire, "acq", 'L'}, {trace::EventKind::Release, "rel", 'L'},
    {trace::EventKind::Fork, "fork", 'T'},   {trace::EventKind::Join, "join", 'T'},
};

// "T3|r(V17)|42"
void print_std_event(const trace::Event& e, std::string& out) {
  for (const StdWord& word : kStdWords) {
    if (word.kind != e.kind) continue;
    fmt::format_to(std::back_inserter(out), "T{}|{}({}{})|{}\n", to_index(e.thread), word.operation,
                   word.operand, e.object, to_index(e.site));
  }
}

// Writes text in large pieces and reports what the C library reports.
class TextFile {
 public:
  explicit TextFile(const std::string& path)
      : path_(path), file_(path == "-" ? stdout : std::fopen(path.c_str(), "wb")) {}

  Result<void> put(const std::string& text) {
    if (file_ == nullptr || std::fwrite(text.data(), 1, text.size(), file_) != text.size()) {
      return failure();
    }
    return {};
  }
  Result<void> close() {
    if (file_ == nullptr || std::fclose(file_) != 0) return failure();
    return {};
  }

 private:
  std::unexpected<Diagnostic> failure() const {
    return std::unexpected(
        Diagnostic{.message = fmt::format("cannot write {}: {}", path_, std::strerror(errno)),
                   .where = "",
                   .exit_code = ExitCode::io_error});
  }

  std::string path_;
  std::FILE* file_;
};

Result<void> write_ftrace(const trace::SyntheticOptions& options, const std::string& path) {
  FORETELL_TRY(writer, path == "-" ? trace::FtraceWriter::create(1, "<stdout>")
                                   : trace::FtraceWriter::create(path));
  auto done = generate_synthetic(
      options, [&](std::span<const trace::Event> raw, const trace::TraceTables& t) {
        return writer->write(raw, t);
      });
  return done ? writer->close() : done;
}

Result<void> write_text(const trace::SyntheticOptions& options, const std::string& path,
                        bool as_std) {
  TextFile file(path);
  std::string text;
  auto done = generate_synthetic(
      options, [&](std::span<const trace::Event> raw, const trace::TraceTables& t) {
        text.clear();
        for (const trace::Event& e : raw) {
          if (as_std) {
            print_std_event(e, text);
          } else {
            print_tiddle_event(e, t, text);
          }
        }
        return file.put(text);
      });
  return done ? file.close() : done;
}

}  // namespace
}  // namespace foretell

int main(int argc, char** argv) {
  using namespace foretell;
  trace::SyntheticOptions options;
  std::string format = "ftrace", path;
  CLI::App app("Writes a synthetic trace of ordinary shape.");
  app.add_option("-o,--output", path, "file to write; - is standard output")->required();
  app.add_option("--format", format, "ftrace, std or tiddle")
      ->check(CLI::IsMember({"ftrace", "std", "tiddle"}))
      ->capture_default_str();
  auto add = [&](const char* name, auto& field, const char* text) {
    return app.add_option(name, field, text)->capture_default_str();
  };
  add("--events", options.events, "number of events");
  add("--threads", options.threads, "threads, with the main one");
  add("--locks", options.locks, "locks");
  add("--nesting", options.nesting, "locks held at once, at most");
  add("--locations", options.locations, "memory locations");
  add("--sites", options.sites, "source positions of accesses");
  add("--quantum", options.quantum, "mean run of one thread");
  add("--accesses", options.accesses, "percent of events that are accesses");
  add("--reads", options.reads, "percent of accesses that read");
  add("--thread-local", options.thread_local_weight, "weight of accesses of one thread only");
  add("--protected", options.protected_weight, "weight of accesses under a lock");
  add("--read-shared", options.read_shared_weight, "weight of accesses of constants");
  add("--racy", options.racy_weight, "weight of unprotected accesses");
  auto* atomics = add("--atomics", options.atomics, "percent of synchronization by atomics");
  auto* blocks = add("--blocks", options.blocks, "percent of calls that are atomic blocks");
  auto* barriers = add("--barrier-every", options.barrier_every, "events between barriers");
  add("--inversions", options.inversions,
      "percent of synchronization that takes two locks in either order");
  auto* waits = add("--waits", options.waits, "percent of it that posts, waits and notifies");
  app.add_flag("--values", options.values, "accesses carry values");
  add("--seed", options.seed, "seed of all random choices");
  CLI11_PARSE(app, argc, argv);
  const std::initializer_list<CLI::Option*> unspeakable = {atomics, blocks, barriers, waits};
  if (format == "std" &&
      std::ranges::any_of(unspeakable, [](const CLI::Option* o) { return o->count() > 0; })) {
    std::fputs("error: STD text has no atomics, no blocks, no barriers and no waits\n", stderr);
    return static_cast<int>(ExitCode::usage);
  }

  const auto done =
      format == "ftrace" ? write_ftrace(options, path) : write_text(options, path, format == "std");
  if (done) return 0;
  std::fputs(done.error().to_text().c_str(), stderr);
  return static_cast<int>(done.error().exit_code);
}
