// SPDX-License-Identifier: Apache-2.0

#include "report/html/source_files.h"

#include <algorithm>
#include <fstream>

namespace foretell::report::html {
namespace {

constexpr size_t kLongFile = 3000;  // lines
constexpr uint32_t kAround = 30;    // lines shown on each side in long files
constexpr uint32_t kAroundInLibraries = 8;

bool is_library(const std::string& path) {
  return path.starts_with("/usr/") || path.starts_with("/opt/") || path.starts_with("/lib");
}

std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(std::move(line));
  }
  return lines;
}

struct Piece {
  uint32_t first, last;  // lines, from 1
};

std::vector<Piece> pieces_of(std::vector<uint32_t> wanted, uint32_t count, bool library) {
  if (!library && count <= kLongFile) return {{1, count}};
  const uint32_t around = library ? kAroundInLibraries : kAround;
  std::ranges::sort(wanted);
  std::vector<Piece> pieces;
  for (uint32_t line : wanted) {
    if (line > count) continue;
    const Piece piece{line > around ? line - around : 1, std::min(count, line + around)};
    if (!pieces.empty() && piece.first <= pieces.back().last + 1) {
      pieces.back().last = std::max(pieces.back().last, piece.last);
    } else {
      pieces.push_back(piece);
    }
  }
  return pieces;
}

class SourceWriter {
 public:
  explicit SourceWriter(const SourceOptions& options) : options_(options) {}

  Json row(const TraceColumns::File& file) {
    Json json = {{"path", shown_path(file.path)}, {"state", "same"}, {"pieces", Json::array()}};
    if (file.lines.empty()) return json;  // no file: a site that is only a name
    std::error_code error;
    if (!std::filesystem::is_regular_file(file.path, error)) {
      json["state"] = "missing";
      return json;
    }
    const auto changed_at = std::filesystem::last_write_time(file.path, error);
    if (!error && options_.recorded_at && changed_at > *options_.recorded_at) {
      json["state"] = "newer";
    }
    const std::vector<std::string> lines = read_lines(file.path);
    for (const Piece& piece :
         pieces_of(file.lines, static_cast<uint32_t>(lines.size()), is_library(file.path))) {
      std::string text;
      for (uint32_t line = piece.first; line <= piece.last; ++line) {
        if (line > piece.first) text += '\n';
        text += lines[line - 1];
      }
      if (bytes_ + text.size() > options_.most_bytes) {
        json["state"] = "left out";
        continue;
      }
      bytes_ += text.size();
      json["pieces"].push_back({piece.first, std::move(text)});
    }
    return json;
  }

 private:
  std::string shown_path(const std::string& path) const {
    const std::string& directory = options_.directory;
    const bool below = !directory.empty() && path.size() > directory.size() + 1 &&
                       path.starts_with(directory) && path[directory.size()] == '/';
    return below ? path.substr(directory.size() + 1) : path;
  }

  const SourceOptions& options_;
  size_t bytes_ = 0;
};

}  // namespace

Json write_sources(const std::vector<TraceColumns::File>& files,
                   const std::vector<std::string>& important, const SourceOptions& options) {
  auto rank = [&](const TraceColumns::File& file) {
    const bool matters = std::ranges::any_of(
        important, [&](const std::string& site) { return site.starts_with(file.path + ':'); });
    return matters ? 0 : is_library(file.path) ? 2 : 1;
  };
  std::vector<std::pair<int, size_t>> order;
  for (size_t i = 0; i < files.size(); ++i) order.emplace_back(rank(files[i]), i);
  std::ranges::sort(order);

  SourceWriter writer(options);
  std::vector<Json> rows(files.size());
  for (const auto& [ignored, i] : order) rows[i] = writer.row(files[i]);
  return rows;
}

}  // namespace foretell::report::html
