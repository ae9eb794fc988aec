// SPDX-License-Identifier: Apache-2.0

// Writes recordings for tests, as the runtime would.
#pragma once

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "recording/encoder.h"
#include "recording/file.h"
#include "recording/module.h"

namespace foretell::trace {

class RecordingBuilder {
 public:
  using Op = recording::Op;

  explicit RecordingBuilder(recording::Mode mode = recording::Mode::controlled) {
    std::memcpy(header.magic, recording::kMagic, sizeof header.magic);
    header.version = recording::kVersion;
    header.slot_size = 4096;
    header.body_begin = recording::kHeaderSize;
    header.mode = mode;
    header.state = recording::State::finished;
    begin_module("main.c");
  }

  recording::FileHeader header{};
  bool leave_open = false;  // the last chunk of every stream

  // Sites and globals that follow belong to this module.
  void begin_module(std::string_view name) {
    Module& module = modules_.emplace_back();
    module.blob.first_site = next_site_;
    module.blob.name = module.string(name);
  }
  void begin_binary(std::string_view path) {
    begin_module(path);
    modules_.back().blob.is_binary = 1;
  }
  void skipped(uint32_t skipped, uint32_t repeated) {
    modules_.back().blob.skipped = skipped;
    modules_.back().blob.repeated = repeated;
  }

  uint32_t site(std::string_view file, uint32_t line, std::string_view function = "",
                std::string_view expression = "", uint32_t flags = 0) {
    Module& module = modules_.back();
    module.sites.push_back(
        {module.string(file), line, 1, module.string(function), module.string(expression), flags});
    return next_site_++;
  }
  void global(uint64_t address, uint64_t size, std::string_view name,
              std::string_view fields = "") {
    Module& module = modules_.back();
    module.globals.push_back({address, size, module.string(name), module.string(fields)});
  }
  uint32_t unnamed_site() { return next_site_++; }

  // The records that follow are of this thread.
  void on(uint64_t thread) {
    if (header.mode == recording::Mode::controlled) {
      record(Op::Switch, 0, thread);
    } else {
      thread_ = thread;
    }
  }
  void record(Op op, uint32_t site = 0, uint64_t address = 0, uint64_t value = 0,
              std::initializer_list<uint64_t> extensions = {}) {
    // Compact records have room for an address only, so their operand is there.
    if (op == Op::FunctionEnter || op == Op::Branch) address = value;
    std::string& records = streams_[thread_].emplace_back();
    auto word = [&](uint64_t bits) {
      records.append(reinterpret_cast<const char*>(&bits), sizeof bits);
    };
    word(recording::header_of(address, recording::kFullMark));
    word(site | static_cast<uint64_t>(op) << 32);
    word(value);
    for (uint64_t one : extensions) word(one);
  }

  // A record as instrumented code stores it: the op is the site's.
  void compact(uint32_t site, uint64_t address, uint64_t value, size_t size) {
    const uint64_t first = recording::header_of(address, site);
    std::string& record = streams_[thread_].emplace_back();
    record.append(reinterpret_cast<const char*>(&first), sizeof first);
    record.append(reinterpret_cast<const char*>(&value), size);
  }

  // Chunks of events begin at multiples of the slot size, as version 1 has it.
  bool aligned = false;
  // Chunks of events in the body are encoded.
  bool encoded = false;

  // As the runtime leaves it: whole chunks in the body, and with leave_open the last chunk of each
  // stream in a slot.
  std::string bytes() const {
    std::string body;
    std::string slots;
    for (size_t i = 0; i < modules_.size(); ++i) {
      append_chunk(body, recording::StreamKind::modules, 0, i, modules_[i].bytes());
    }
    for (const auto& [thread, records] : streams_) append_stream(body, slots, thread, records);
    recording::FileHeader whole = header;
    whole.body_end = whole.body_begin + body.size();
    if (!slots.empty()) whole.windows[0] = {whole.body_end, slots.size() / header.slot_size};
    whole.body_end += slots.size();
    std::string file(recording::kHeaderSize, '\0');
    std::memcpy(file.data(), &whole, sizeof whole);
    return file + body + slots;
  }

 private:
  struct Module {
    recording::ModuleBlob blob{};
    std::vector<recording::SiteRow> sites;
    std::vector<recording::GlobalRow> globals;
    std::string strings = std::string(1, '\0');

    uint32_t string(std::string_view text) {
      if (text.empty()) return 0;
      const auto at = static_cast<uint32_t>(strings.size());
      strings += text;
      strings += '\0';
      return at;
    }
    std::string bytes() const {
      recording::ModuleBlob whole = blob;
      whole.site_count = static_cast<uint32_t>(sites.size());
      whole.global_count = globals.size();
      whole.strings_size = strings.size();
      std::string out(reinterpret_cast<const char*>(&whole), sizeof whole);
      out.append(reinterpret_cast<const char*>(sites.data()), sites.size() * sizeof sites[0]);
      out.append(reinterpret_cast<const char*>(globals.data()), globals.size() * sizeof globals[0]);
      out += strings;
      out.resize((out.size() + 7) / 8 * 8);
      return out;
    }
  };

  struct Free {
    void operator()(recording::Encoder* encoder) const { std::free(encoder); }
  };
  using OwnedEncoder = std::unique_ptr<recording::Encoder, Free>;

  void append_chunk(std::string& to, recording::StreamKind kind, uint64_t thread, uint64_t ordinal,
                    std::string payload, recording::Encoder* encoder = nullptr) const {
    if (aligned && kind == recording::StreamKind::events) {
      const size_t misplaced = (recording::kHeaderSize + to.size()) % header.slot_size;
      if (misplaced != 0) to.append(header.slot_size - misplaced, '\0');
    }
    recording::ChunkHeader chunk{};
    chunk.marker = recording::kChunkMarker;
    chunk.kind = kind;
    chunk.thread = thread;
    chunk.ordinal = ordinal;
    if (encoder) {
      chunk.decoded = static_cast<uint32_t>(payload.size());
      payload.resize(payload.size() + recording::kMaxRecord);
      const size_t size = encoder->encode(payload.data(), chunk.decoded, site_sizes().data());
      payload.assign(encoder->payload(), size);
    }
    chunk.used = static_cast<uint32_t>(payload.size());
    payload.resize((payload.size() + 7) / 8 * 8);
    const std::vector<char> in_place(payload.begin(), payload.end());
    chunk.checksum = recording::checksum(in_place.data(), in_place.size());
    to.append(reinterpret_cast<const char*>(&chunk), sizeof chunk);
    to += payload;
  }

  // As the runtime notes them.
  std::vector<recording::codec::SiteSize> site_sizes() const {
    std::vector<recording::codec::SiteSize> sizes(recording::kFullMark + 1);
    for (const Module& module : modules_) {
      for (size_t i = 0; i < module.sites.size(); ++i) {
        const auto op = static_cast<recording::Op>(recording::op_of(module.sites[i]));
        sizes[module.blob.first_site + i] = recording::codec::site_size_of(op);
      }
    }
    return sizes;
  }

  void append_stream(std::string& body, std::string& slots, uint64_t thread,
                     const std::vector<std::string>& all) const {
    const size_t room = header.slot_size - sizeof(recording::ChunkHeader);
    std::string payload;
    uint64_t ordinal = 0;
    OwnedEncoder encoder;
    if (encoded) {
      encoder.reset(static_cast<recording::Encoder*>(std::calloc(1, sizeof(recording::Encoder))));
    }
    for (const std::string& one : all) {
      if (payload.size() + one.size() > room) {
        append_chunk(body, recording::StreamKind::events, thread, ordinal++, payload,
                     encoder.get());
        payload.clear();
      }
      payload += one;
    }
    if (!leave_open) {
      append_chunk(body, recording::StreamKind::events, thread, ordinal, payload, encoder.get());
      return;
    }
    const size_t begin = slots.size();
    append_chunk(slots, recording::StreamKind::events, thread, ordinal, payload);
    const uint32_t open = 0;
    std::memcpy(slots.data() + begin + offsetof(recording::ChunkHeader, used), &open, sizeof open);
    slots.resize(begin + header.slot_size);
  }

  uint32_t next_site_ = 1;
  std::vector<Module> modules_;
  std::map<uint64_t, std::vector<std::string>> streams_;
  uint64_t thread_ = 0;
};

}  // namespace foretell::trace
