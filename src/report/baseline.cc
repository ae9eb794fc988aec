// SPDX-License-Identifier: Apache-2.0

#include "report/baseline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/input_file.h"
#include "base/split.h"
#include "report/summary.h"

namespace foretell::report {
namespace {

constexpr std::string_view kHeader = "# foretell baseline 2";
constexpr std::string_view kFirstHeader = "# foretell baseline 1";

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

// Names of tests are command lines where there is no other; what the column uses is escaped.
std::string test_word(std::string_view test, std::string_view test_case) {
  auto escaped = [](std::string_view text) {
    std::string word;
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      const bool is_plain = byte > ' ' && byte != 0x7f && c != ',' && c != '#' && c != '%';
      word += is_plain ? std::string(1, c) : fmt::format("%{:02x}", byte);
    }
    return word;
  };
  const std::string word = escaped(test);
  return test_case.empty() ? word : word + '#' + escaped(test_case);
}

// The tests that have shown a finding.
std::set<std::string> tests_of(const finding::Finding& finding) {
  constexpr std::string_view kBetween = " and ";  // of cases, which are no more than words
  std::set<std::string> tests;
  for (const finding::SeenIn& seen : finding.seen_in) {
    if (is_run_of_many(seen)) continue;
    std::string_view cases = seen.test_case;
    for (;;) {
      const size_t end = std::min(cases.find(kBetween), cases.size());
      tests.insert(test_word(seen.test, cases.substr(0, end)));
      if (end == cases.size()) break;
      cases.remove_prefix(end + kBetween.size());
    }
  }
  return tests;
}

// What a run can say something about.
struct Coverage {
  std::set<std::string> programs, tests;
  bool is_test_run = false;

  explicit Coverage(const finding::AnalysisResult& result) {
    for (const std::string& path : result.trace.programs) programs.insert(program_word(path));
    is_test_run = !programs.empty();
    if (!is_test_run) programs.insert(program_word(result.trace.name));
    for (const finding::RanTest& ran : result.trace.tests) {
      tests.insert(test_word(ran.test, ""));
      for (const std::string& name : ran.cases) tests.insert(test_word(ran.test, name));
    }
  }

  bool covers(const std::string& program, const std::set<std::string>& by) const {
    if (!by.empty()) return std::ranges::includes(tests, by);
    // A test run that was cut off has no tests.
    return programs.contains(program) && (!is_test_run || !tests.empty());
  }
};

std::string program_of(const finding::Finding& finding, const finding::AnalysisResult& result) {
  return program_word(finding.seen_in.empty() ? result.trace.name : finding.seen_in[0].program);
}

// Cuts the first word off.
std::string_view take_word(std::string_view& line) {
  const size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(line.find_first_not_of(' ', end), line.size()));
  return word;
}

bool belongs_in(const finding::Finding& f) {
  return !f.suppressed && f.verdict != finding::Verdict::possible;
}

}  // namespace

Result<Baseline> Baseline::read(const std::string& path) {
  FORETELL_TRY(file, InputFile::open(path));
  return parse(file.bytes(), path);
}

Result<Baseline> Baseline::parse(std::string_view text, const std::string& name) {
  Baseline baseline;
  const bool is_first = text.starts_with(kFirstHeader);
  if (!is_first && !text.starts_with(kHeader)) {
    return std::unexpected(
        Diagnostic{fmt::format("{} is not a Foretell baseline", name), ""}.with_note(
            "'foretell baseline FILE' makes one from the last run"));
  }
  size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    const std::string_view fingerprint = take_word(line);
    const std::string_view state = take_word(line);
    const auto kind = finding::finding_kind(take_word(line));
    const std::string_view program = take_word(line);
    const std::string_view tests = is_first ? "-" : take_word(line);
    if ((state != "known" && state != "fixed") || !kind || program.empty() || tests.empty()) {
      return fail_at(
          fmt::format("{}:{}", name, number),
          "this is not a line of a baseline: fingerprint, known or fixed, kind, program, "
          "tests, text");
    }
    Row& row = baseline.rows_[std::string(fingerprint)];
    row = {state == "fixed", *kind, std::string(program), {}, std::string(line)};
    if (tests == "-") continue;
    for (const std::string_view test : split(tests, ',')) row.tests.emplace(test);
  }
  return baseline;
}

void Baseline::apply(finding::AnalysisResult& result) const {
  std::set<std::string_view> seen;
  for (finding::Finding& f : result.findings) {
    seen.insert(f.fingerprint);
    const auto row = rows_.find(f.fingerprint);
    if (row == rows_.end()) {
      f.baseline = finding::BaselineState::fresh;
    } else {
      f.baseline =
          row->second.is_fixed ? finding::BaselineState::regression : finding::BaselineState::known;
    }
  }
  const Coverage coverage(result);
  for (const auto& [fingerprint, row] : rows_) {
    if (row.is_fixed || seen.contains(fingerprint)) continue;
    if (coverage.covers(row.program, row.tests)) {
      result.fixed.push_back({fingerprint, row.kind, row.text});
    } else if (coverage.is_test_run || coverage.programs.contains(row.program)) {
      result.not_run.push_back({fingerprint, row.kind, row.text});
    }
  }
}

Baseline::Counts Baseline::update(const finding::AnalysisResult& result) {
  Counts counts;
  const Coverage coverage(result);
  std::set<std::string_view> seen;
  for (const finding::Finding& f : result.findings) {
    seen.insert(f.fingerprint);
    if (!belongs_in(f)) continue;
    auto [entry, is_new] = rows_.try_emplace(f.fingerprint);
    ++(is_new ? counts.fresh : entry->second.is_fixed ? counts.regressions : counts.known);
    Row& row = entry->second;
    if (is_new) row.program = program_of(f, result);
    row.is_fixed = false;
    row.kind = f.kind();
    row.text = one_line(summary_of(f));
    // Tests that ran this time say it themselves.
    std::erase_if(row.tests,
                  [&](const std::string& test) { return coverage.tests.contains(test); });
    row.tests.merge(tests_of(f));
  }
  for (auto& [fingerprint, row] : rows_) {
    if (row.is_fixed || seen.contains(fingerprint)) continue;
    if (!coverage.covers(row.program, row.tests)) continue;
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
    text += fmt::format("{} {} {} {} {} {}\n", fingerprint, row.is_fixed ? "fixed" : "known",
                        word_of(row.kind), row.program,
                        row.tests.empty() ? "-" : fmt::format("{}", fmt::join(row.tests, ",")),
                        row.text);
  }
  return text;
}

size_t Baseline::known() const {
  return static_cast<size_t>(
      std::ranges::count_if(rows_, [](const auto& row) { return !row.second.is_fixed; }));
}

}  // namespace foretell::report
