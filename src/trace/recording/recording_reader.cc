// SPDX-License-Identifier: Apache-2.0

#include "trace/recording/recording_reader.h"

#include <optional>
#include <utility>

#include "trace/recording/chunk_streams.h"
#include "trace/recording/contested_memory.h"
#include "trace/recording/facts.h"
#include "trace/recording/modules.h"
#include "trace/recording/parallel_merge.h"
#include "trace/recording/pc_sites.h"
#include "trace/recording/record_cursor.h"
#include "trace/recording/recorded_facts.h"
#include "trace/recording/translator.h"

namespace foretell::trace {

using namespace recording;

namespace {

// What a reader of either mode has: the file, its names, and what the user is told of it.
class RecordingReader : public TraceReader {
 public:
  RecordingReader(InputFile file, ChunkStreams streams, Modules modules)
      : file_(std::move(file)),
        streams_(std::move(streams)),
        modules_(std::move(modules)),
        facts_(facts_of(streams_.header())),
        translator_(tables_, modules_, facts_.without_values) {
    set_header_facts(facts_, modules_, tables_.facts);
    warn();
  }

  virtual Result<void> open() {
    const size_t own = warnings_.size();
    auto done = load_pc_sites(streams_, modules_, translator_.sites(), warnings_);
    for (size_t i = own; i < warnings_.size(); ++i) warnings_[i].where = file_.name();
    if (!done) return in_file(std::move(done).error());
    return {};
  }

  std::string position(EventIndex index) const override {
    return fmt::format("{}: event {}", file_.name(), to_index(index));
  }

 protected:
  std::unexpected<Diagnostic> in_file(Diagnostic error) const {
    error.where = file_.name();
    return std::unexpected(std::move(error));
  }

  InputFile file_;
  const ChunkStreams streams_;
  const Modules modules_;
  const RecordingFacts facts_;
  Translator translator_;

 private:
  void warn_cut_short(std::string message, std::string note) {
    Diagnostic warning{.message = std::move(message), .where = file_.name()};
    warning.exit_code = ExitCode::cut_short;
    warnings_.push_back(std::move(warning).with_note(std::move(note)));
  }

  void warn() {
    if (facts_.state == State::running) {
      warn_cut_short("the recording has no end: it is read up to its last record",
                     "the program was killed, or it is still running");
    }
    if (facts_.dropped_bytes > 0 || !facts_.error.empty()) {
      warn_cut_short(fmt::format("recording stopped early: {}",
                                 facts_.error.empty() ? "the disk was full" : facts_.error),
                     fmt::format("{} bytes of records are missing", facts_.dropped_bytes));
    }
  }
};

class ControlledReader final : public RecordingReader {
 public:
  ControlledReader(InputFile file, ChunkStreams streams, Modules modules)
      : RecordingReader(std::move(file), std::move(streams), std::move(modules)) {
    rewind();
  }

  Result<size_t> read(std::span<Event> out) override {
    size_t count = 0;
    Record record{};
    uint64_t extensions[2] = {};
    while (count < out.size()) {
      const RecordCursor::Next next = cursor_->next(record, extensions);
      if (next == RecordCursor::Next::failed) return in_file(cursor_->error());
      if (next == RecordCursor::Next::end) {
        at_end_ = true;
        set_seen_facts(translator_, tables_, tables_.facts);
        break;
      }
      Event& event = out[count];
      event.index = EventIndex{next_index_};
      if (const PlainOp op = kPlainOps[to_index(record.op())]; op.size != 0) [[likely]] {
        translator_.plain(*thread_, record, op, event);
      } else if (kIsStep[to_index(record.op())] == 0) {
        if (auto done = note(record, extensions); !done) return in_file(std::move(done).error());
        continue;
      } else if (auto done = translator_.step(*thread_, record, extensions, event); !done) {
        return in_file(in_chunk(std::move(done).error()));
      }
      ++next_index_;
      ++count;
    }
    file_.release_before(cursor_->chunk_offset());
    return count;
  }

  void rewind() override {
    translator_.rewind();
    cursor_.emplace(streams_, streams_.events().empty() ? kEmpty : streams_.events().front(),
                    modules_.site_ops());
    thread_ = translator_.thread(0);
    next_index_ = 0;
    at_end_ = false;
  }

  double progress() const override {
    return at_end_ ? 1 : fraction(cursor_->chunk_offset(), file_.bytes().size());
  }

 private:
  static constexpr auto kPlainOps = [] {
    std::array<PlainOp, kOpCount> ops{};
    for (size_t i = 0; i < kOpCount; ++i) ops[i] = plain_op(static_cast<Op>(i));
    return ops;
  }();
  static inline const ChunkStream kEmpty;

  Result<void> note(Record record, const uint64_t (&extensions)[2]) {
    if (record.op() == Op::Switch) {
      thread_ = translator_.thread(record.address());
      if (thread_ == nullptr) {
        return std::unexpected(
            in_chunk({fmt::format("a record names thread {}", record.address()), ""}));
      }
    } else {
      translator_.note(*thread_, record, extensions, next_index_);
    }
    return {};
  }

  Diagnostic in_chunk(Diagnostic error) const {
    error.message = fmt::format("the chunk at offset {} is malformed: {}", cursor_->chunk_offset(),
                                error.message);
    return error;
  }

  std::optional<RecordCursor> cursor_;
  Translator::Thread* thread_ = nullptr;
  uint64_t next_index_ = 0;
  bool at_end_ = false;
};

class ParallelReader final : public RecordingReader {
 public:
  using RecordingReader::RecordingReader;

  Result<void> open() override {
    if (auto done = RecordingReader::open(); !done) return done;
    auto contested = ContestedMemory::find(streams_, translator_.sites());
    if (!contested) return in_file(std::move(contested).error());
    contested_ = std::move(*contested);
    rewind();
    return {};
  }

  Result<size_t> read(std::span<Event> out) override {
    auto got = merge_->read(out);
    if (!got) return in_file(std::move(got).error());
    if (*got < out.size()) {
      at_end_ = true;
      set_seen_facts(translator_, tables_, tables_.facts);
      tables_.facts.ambiguous = merge_->ambiguous();
    }
    file_.release_before(merge_->first_offset());
    return got;
  }

  void rewind() override {
    translator_.rewind();
    merge_.emplace(streams_, contested_, translator_);
    at_end_ = false;
  }

  double progress() const override {
    return at_end_ ? 1 : fraction(merge_->first_offset(), file_.bytes().size());
  }

 private:
  ContestedMemory contested_;
  std::optional<ParallelMerge> merge_;
  bool at_end_ = false;
};

}  // namespace

bool looks_like_recording(std::string_view bytes) {
  return bytes.starts_with(std::string_view(recording::kMagic, sizeof recording::kMagic));
}

Result<std::unique_ptr<TraceReader>> make_recording_reader(InputFile file) {
  auto opened = [&]() -> Result<std::pair<ChunkStreams, Modules>> {
    FORETELL_TRY(streams, ChunkStreams::find(file.bytes()));
    FORETELL_TRY(modules, Modules::load(streams));
    return std::pair(std::move(streams), std::move(modules));
  }();
  if (!opened) {
    opened.error().where = file.name();
    return std::unexpected(std::move(opened).error());
  }
  auto& [streams, modules] = *opened;
  std::unique_ptr<RecordingReader> reader;
  if (streams.header().mode == Mode::controlled) {
    reader =
        std::make_unique<ControlledReader>(std::move(file), std::move(streams), std::move(modules));
  } else {
    reader =
        std::make_unique<ParallelReader>(std::move(file), std::move(streams), std::move(modules));
  }
  if (auto done = reader->open(); !done) return std::unexpected(std::move(done).error());
  return reader;
}

}  // namespace foretell::trace
