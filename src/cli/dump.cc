// SPDX-License-Identifier: Apache-2.0

// foretell dump TRACE: the text of a trace, a part of it, or the trace in another format.
// foretell dump --facts PROGRAM: what its code says about it (cli/dump_facts.h).

#include "base/output.h"
#include "base/printable.h"
#include "cli/command.h"
#include "cli/dump_facts.h"
#include "trace/ftrace/ftrace_writer.h"
#include "trace/reduced_reader.h"
#include "trace/run_facts_text.h"
#include "trace/std/std_printer.h"
#include "trace/stream.h"
#include "trace/text_values.h"
#include "trace/tiddle/tiddle_reader.h"

namespace foretell::cli {
namespace {

struct DumpCommand {
  TraceInput input;
  std::string to;
  std::string output = "-";
  uint64_t first = 0;
  uint64_t count = UINT64_MAX;
  bool summary = false;
  bool properties = false;
  bool check = false;
  bool facts = false;
  std::string externals;
  bool reduce = false;

  Result<void> run() const;
  bool writes_tiddle() const { return to.empty() || to == "tiddle"; }
  // The reader of a trace that was seen to be well-formed.
  static Result<std::unique_ptr<trace::TraceReader>> checked(
      std::unique_ptr<trace::TraceReader> reader);
  Result<void> print_summary(trace::TraceReader& reader) const;
  Result<void> print_properties(trace::TraceReader& reader) const;
  Result<void> print_text(trace::TraceReader& reader) const;
  // Nothing if the text of every event is the event.
  Result<std::unique_ptr<trace::TextValues>> text_values(trace::TraceReader& reader) const;
  Result<void> convert_to_ftrace(trace::TraceReader& reader) const;

  // Calls handle(span of raw events) for the chosen part of the trace.
  Result<void> for_each_batch(trace::TraceReader& reader, auto handle) const;
};

Result<void> DumpCommand::for_each_batch(trace::TraceReader& reader, auto handle) const {
  std::vector<trace::Event> batch(trace::kBatchSize);
  const uint64_t end = count > UINT64_MAX - first ? UINT64_MAX : first + count;
  for (;;) {
    auto got = reader.read(batch);
    if (!got) return std::unexpected(std::move(got).error());
    if (*got == 0) return {};
    const uint64_t begin_index = to_index(batch.front().index);
    if (begin_index >= end) return {};
    const uint64_t skip = first > begin_index ? std::min<uint64_t>(first - begin_index, *got) : 0;
    const uint64_t keep = std::min<uint64_t>(*got, end - begin_index);
    if (keep <= skip) continue;
    if (auto done = handle(std::span<const trace::Event>(batch).subspan(skip, keep - skip)); !done)
      return done;
  }
}

Result<std::unique_ptr<trace::TraceReader>> DumpCommand::checked(
    std::unique_ptr<trace::TraceReader> reader) {
  FORETELL_TRY(stream, trace::TraceStream::open(std::move(reader)));
  for (;;) {
    auto batch = stream.next();
    if (!batch) return std::unexpected(std::move(batch).error());
    if (batch->empty()) return std::move(stream).take_reader();
  }
}

Result<void> DumpCommand::print_summary(trace::TraceReader& reader) const {
  uint64_t by_kind[trace::kEventKindCount] = {};
  uint64_t events = 0;
  auto counted = for_each_batch(reader, [&](std::span<const trace::Event> batch) -> Result<void> {
    for (const trace::Event& e : batch) ++by_kind[to_index(e.kind)];
    events += batch.size();
    return {};
  });
  if (!counted) return counted;
  const trace::TraceTables& t = reader.tables();
  std::string out =
      fmt::format("{} events, {} threads, {} locks, {} locations, {} sites\n", events,
                  t.threads.size(), t.locks.size(), t.locations.size(), t.sites.size());
  for (uint8_t i = 0; i < trace::kEventKindCount; ++i) {
    if (by_kind[i] > 0)
      out += fmt::format("  {:<10} {:>14}\n", word_of(trace::EventKind{i}), by_kind[i]);
  }
  return write_text(output, out);
}

Result<void> DumpCommand::print_properties(trace::TraceReader& reader) const {
  // Some are only known at the end of the trace.
  auto nothing = [](std::span<const trace::Event>) -> Result<void> { return {}; };
  if (auto read = for_each_batch(reader, nothing); !read) return read;
  std::string out;
  const trace::Properties of_run = to_properties(reader.tables());
  for (const auto& [key, value] : of_run.rows()) {
    out += fmt::format("{}={}\n", printable(key), printable(value));
  }
  return write_text(output, out);
}

Result<std::unique_ptr<trace::TextValues>> DumpCommand::text_values(
    trace::TraceReader& reader) const {
  if (!writes_tiddle() || !needs_text_values(reader.tables())) return nullptr;
  auto nothing = [](std::span<const trace::Event>) -> Result<void> { return {}; };
  if (auto read = for_each_batch(reader, nothing); !read) {
    return std::unexpected(std::move(read).error());
  }
  reader.rewind();
  return std::make_unique<trace::TextValues>(reader.tables());
}

Result<void> DumpCommand::print_text(trace::TraceReader& reader) const {
  FORETELL_TRY(out, Output::open(output));
  std::string text;
  uint64_t left_out = 0;
  FORETELL_TRY(values, text_values(reader));
  auto printed = for_each_batch(reader, [&](std::span<const trace::Event> batch) {
    text.clear();
    for (const trace::Event& e : batch) {
      if (writes_tiddle()) {
        print_tiddle_event(values ? values->next(e) : e, reader.tables(), text);
      } else {
        left_out += print_std_event(e, reader.tables(), text) ? 0 : 1;
      }
    }
    return out.write(text);
  });
  if (!printed) return printed;
  if (writes_tiddle()) {
    text.clear();
    print_tiddle_statements(reader.tables(), text);
    if (auto done = out.write(text); !done) return done;
  }
  if (left_out > 0) {
    std::fputs(
        fmt::format("warning: {} events cannot be expressed in STD and were left out\n", left_out)
            .c_str(),
        stderr);
  }
  return out.close();
}

Result<void> DumpCommand::convert_to_ftrace(trace::TraceReader& reader) const {
  if (output == "-") return usage_error("--to=ftrace writes a binary file: name it with -o FILE");
  FORETELL_TRY(writer, trace::FtraceWriter::create(output));
  auto written = for_each_batch(reader, [&](std::span<const trace::Event> batch) {
    return writer->write(batch, reader.tables());
  });
  // Properties may have changed after the last event.
  if (written) written = writer->write({}, reader.tables());
  if (!written) return written;
  return writer->close();
}

Result<void> DumpCommand::run() const {
  if (facts) return dump_facts(input.path, to, output, {.externals = externals});
  if (!externals.empty()) return usage_error("--externals is an option of --facts");
  if (to == "text" || to == "json" || to == "facts")
    return usage_error("--to={} is a form of facts: add --facts", to);
  FORETELL_TRY(reader, input.open());
  if (check) {
    FORETELL_TRY(same_reader, checked(std::move(reader)));
    reader = std::move(same_reader);
  }
  if (reduce) {
    FORETELL_TRY(reduced, trace::ReducedReader::open(std::move(reader)));
    reader = std::move(reduced);
  }
  auto done = summary          ? print_summary(*reader)
              : properties     ? print_properties(*reader)
              : to == "ftrace" ? convert_to_ftrace(*reader)
                               : print_text(*reader);
  for (const Diagnostic& warning : reader->warnings()) {
    std::fputs(warning.to_text("warning").c_str(), stderr);
  }
  return done;
}

}  // namespace

void add_dump(CLI::App& app, ExitCode& exit_code) {
  auto state = std::make_shared<DumpCommand>();
  CLI::App* command = app.add_subcommand("dump", "Print a trace as text, or convert it");
  state->input.add_to(*command);
  command
      ->add_option("--to", state->to,
                   "Format to write: tiddle, std or ftrace; of facts: text, json or facts")
      ->check(CLI::IsMember({"tiddle", "std", "ftrace", "text", "json", "facts"}));
  command->add_option("-o,--output", state->output, "File to write; - is standard output");
  command->add_option("--first", state->first, "Index of the first event to show");
  command->add_option("--count", state->count, "Number of events to show");
  command->add_flag("--summary", state->summary, "Only count events, threads, locks and locations");
  command->add_flag("--properties", state->properties,
                    "Only print facts about the run: mode, seed, how it ended, ...");
  command->add_flag("--check", state->check, "First check that the trace is a well-formed run");
  command->add_flag("--facts", state->facts,
                    "What is known of a program from its code: give a program that `foretell cc` "
                    "built, or a file of facts");
  command->add_option("--externals", state->externals,
                      "With --facts: what library functions do, besides the common ones (see "
                      "share/externals.spec)");
  command->add_flag("--reduce", state->reduce,
                    "Leave out accesses that add no race: of locations that one thread uses or\n"
                    "nobody writes, and repeated ones; values are left out, too");
  command->footer("Example: foretell dump big.ftrace --first=1000 --count=20");
  command->callback([state, &exit_code] { exit_code = report(state->run()); });
}

}  // namespace foretell::cli
