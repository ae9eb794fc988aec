// SPDX-License-Identifier: Apache-2.0

// What the tests of .ftrace files share: traces to bytes and back, and forged bytes with good
// checksums.
#pragma once

#define XXH_INLINE_ALL
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "trace/ftrace/ftrace_format.h"
#include "trace/ftrace/ftrace_reader.h"
#include "trace/ftrace/ftrace_writer.h"
#include "trace/synthetic/synthetic.h"
#include "trace/tiddle/tiddle_reader.h"

namespace foretell::trace {

inline Trace tiddle(std::string_view text) {
  auto trace = parse_tiddle(text);
  CHECK(trace.has_value());
  return std::move(*trace);
}

// The file a writer makes of `trace`, given to it in batches of `batch` events.
inline std::string to_ftrace(const Trace& trace, size_t batch = kBatchSize) {
  const int fd = ::memfd_create("ftrace", 0);
  auto writer = FtraceWriter::create(::dup(fd), "<memory>");
  CHECK(writer.has_value());
  CHECK((*writer)->write({}, trace.tables).has_value());
  for (size_t i = 0; i < trace.events.size(); i += batch) {
    const size_t count = std::min(batch, trace.events.size() - i);
    CHECK((*writer)->write(std::span(trace.events).subspan(i, count), trace.tables).has_value());
  }
  CHECK((*writer)->close().has_value());
  std::string bytes((*writer)->byte_count(), '\0');
  CHECK(::pread(fd, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  ::close(fd);
  return bytes;
}

struct ReadBack {
  Trace trace;
  std::vector<Diagnostic> warnings;
  std::string error;  // of opening or reading; the events before it are kept
};

inline ReadBack from_ftrace(std::string_view bytes) {
  ReadBack result;
  auto reader = make_ftrace_reader(InputFile::from_memory(bytes, "t.ftrace"));
  if (!reader) {
    result.error = reader.error().to_text();
    return result;
  }
  result.warnings = (*reader)->warnings();
  std::vector<Event> batch(1000);
  for (;;) {
    auto got = (*reader)->read(batch);
    if (!got) result.error = got.error().to_text();
    if (!got || *got == 0) break;
    result.trace.events.insert(result.trace.events.end(), batch.begin(),
                               batch.begin() + static_cast<ptrdiff_t>(*got));
  }
  result.trace.tables = std::move((*reader)->tables());
  return result;
}

inline bool is_prefix(const std::vector<Event>& prefix, const std::vector<Event>& all) {
  return prefix.size() <= all.size() && std::equal(prefix.begin(), prefix.end(), all.begin());
}

inline Trace synthetic_trace(const SyntheticOptions& options) {
  auto source = SyntheticTrace::create(options);
  CHECK(source.has_value());
  Trace trace;
  trace.tables = (*source)->tables();
  trace.events.resize(options.events);
  CHECK((*source)->next(trace.events) == options.events);
  return trace;
}

// A copy of the header at `offset`, and putting it back with the checksums of what it describes.
template <class Header>
Header header_at(const std::string& file, size_t offset) {
  Header header;
  std::memcpy(&header, file.data() + offset, sizeof header);
  return header;
}
template <class Header>
void put_header(std::string& file, size_t offset, Header header) {
  header.checksum = XXH3_64bits(&header, offsetof(Header, checksum));
  std::memcpy(file.data() + offset, &header, sizeof header);
}
inline void reseal_chunk(std::string& file, size_t offset) {
  auto header = header_at<ftrace::ChunkHeader>(file, offset);
  const char* payload = file.data() + offset + sizeof header;
  header.definitions_checksum = XXH3_64bits(payload, header.definitions_size);
  header.events_checksum = XXH3_64bits(payload + header.definitions_size, header.events_size);
  put_header(file, offset, header);
}

// Every kind of event, as in the test of the Tiddle printer, with sites and ranges.
inline constexpr std::string_view kKindsOfVersion1 =
    "start 1\nfork 1 2 @a.c:1:2\nrd 1 x\nwr 1 x 1 @a.c:8:15 in=deposit as=acc.balance\nacq 1 m\n"
    "rel 1 m\nbeg 1 a\nend 1 a\nard 1 x acq 3\nawr 1 x rel -1\nrmw 1 x ar 3 4\nrmw 1 x rlx -1 0\n"
    "fence 1 sc\nfence 2 rlx\nreq 1 m\nsreq 1 m\nsacq 1 m\nsrel 1 m\ntryfail 1 m\nstryfail 1 m\n"
    "wait 1 c m\nwake 1 c m #4\nwait 2 c n\nwake 2 c n spurious\nnotify 1 c #4\nnotifyall 1 c\n"
    "enter 1 b #0\nleave 1 b #0\npost 1 s #1\ndown 1 s #1\ndown 1 s initial\ncall 1 f\nret 1 f\n"
    "branch 1 1\nbranch 1\nalloc 1 buf 64\nfree 1 buf\nuser 1 opened file name\nuser 2 closed\n"
    "wr 1 buf+8:4 7\nrd 1 0x7f00:8\nwr 2 y -9223372036854775808\nwr 2 y 0\nrd 2 z @345\n"
    "rd 1 \"a b\" @\"my file.c\":3 in=\"f(int, int)\"\njoin 1 2\nexit 1\n";
inline const std::string kEveryKind =
    std::string(kKindsOfVersion1) + "dlock 3 m\ndcond 3 c\ndbarrier 3 b\ndsem 3 s\n";

}  // namespace foretell::trace
