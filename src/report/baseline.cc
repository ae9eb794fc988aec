#include "report/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/input_file.h"
#include "base/split.h"
#include "report/summary.h"

namespace foretell {
namespace {

constexpr std::string_view kHeader = "# foretell baseline 1";

// Names may hold blanks and ends of lines; the columns may not.
std::string one_word(std::string_view text) {
  std::string word(text);
  for (char& c : word) {
    if (static_cast<unsigned char>(c) <= ' ' || c == 0x7f) c = '_';
  }
  return word.empty() ? "-" : word;
}

std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
  }
  return line;
}

std::string program_word(std::string_view path) {
  return one_word(path.substr(path.rfind('/') + 1));
}

// The programs that were run.
std::set<std::string> programs_of(const AnalysisResult& result) {
  std::set<std::string> programs;
  for (const std::string& path : result.trace.programs) programs.insert(program_word(path));
  if (programs.empty()) programs.insert(program_word(result.trace.name));
  return programs;
}

std::string program_of(const Finding& finding, const AnalysisResult& result) {
  return program_word(finding.seen_in.empty() ? result.trace.name : finding.seen_in[0].program);
}

// Cuts the first word off.
std::string_view take_word(std::string_view& line) {
  const size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(line.find_first_not_of(' ', end), line.size()));
  return word;
}

bool belongs_in(const Finding& f) {
  return !f.suppressed && f.verdict != Verdict::possible;
}

}  // namespace

Result<Baseline> Baseline::read(const std::string& path) {
  FORETELL_TRY(file, InputFile::open(path));
  return parse(file.bytes(), path);
}

Result<Baseline> Baseline::parse(std::string_view text, const std::string& name) {
  Baseline baseline;
  if (!text.starts_with(kHeader)) {
    return std::unexpected(
        Diagnostic{fmt::format("{} is no baseline of Foretell", name), ""}.with_note(
            "'foretell baseline FILE' makes one from the last run"));
  }
  size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    const std::string_view fingerprint = take_word(line);
    const std::string_view state = take_word(line);
    const auto kind = finding_kind(take_word(line));
    const std::string_view program = take_word(line);
    if ((state != "known" && state != "fixed") || !kind || program.empty()) {
      return fail_at(fmt::format("{}:{}", name, number),
                     "this is no line of a baseline: fingerprint, known or fixed, kind, program, "
                     "text");
    }
    baseline.rows_[std::string(fingerprint)] = {state == "fixed", *kind, std::string(program),
                                                std::string(line)};
  }
  return baseline;
}

void Baseline::apply(AnalysisResult& result) const {
  std::set<std::string_view> seen;
  for (Finding& f : result.findings) {
    seen.insert(f.fingerprint);
    const auto row = rows_.find(f.fingerprint);
    if (row == rows_.end()) {
      f.baseline = BaselineState::fresh;
    } else {
      f.baseline = row->second.is_fixed ? BaselineState::regression : BaselineState::known;
    }
  }
  const std::set<std::string> programs = programs_of(result);
  for (const auto& [fingerprint, row] : rows_) {
    if (row.is_fixed || !programs.contains(row.program) || seen.contains(fingerprint)) continue;
    result.fixed.push_back({fingerprint, row.kind, row.text});
  }
}

Baseline::Counts Baseline::update(const AnalysisResult& result) {
  Counts counts;
  const std::set<std::string> programs = programs_of(result);
  std::set<std::string_view> seen;
  for (const Finding& f : result.findings) {
    seen.insert(f.fingerprint);
    if (!belongs_in(f)) continue;
    auto [entry, is_new] = rows_.try_emplace(f.fingerprint);
    ++(is_new ? counts.fresh : entry->second.is_fixed ? counts.regressions : counts.known);
    entry->second = {false, f.kind, is_new ? program_of(f, result) : entry->second.program,
                     one_line(summary_of(f))};
  }
  for (auto& [fingerprint, row] : rows_) {
    if (row.is_fixed || !programs.contains(row.program) || seen.contains(fingerprint)) continue;
    row.is_fixed = true;
    ++counts.fixed;
  }
  return counts;
}

std::string Baseline::to_text() const {
  std::string text = fmt::format(
      "{}\n# Kept by 'foretell baseline'; 'foretell run --baseline=FILE' fails only on what is not "
      "here.\n",
      kHeader);
  for (const auto& [fingerprint, row] : rows_) {
    text += fmt::format("{} {} {} {} {}\n", fingerprint, row.is_fixed ? "fixed" : "known",
                        word_of(row.kind), row.program, row.text);
  }
  return text;
}

size_t Baseline::known() const {
  return static_cast<size_t>(
      std::ranges::count_if(rows_, [](const auto& row) { return !row.second.is_fixed; }));
}

}  // namespace foretell
