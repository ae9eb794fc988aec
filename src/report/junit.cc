// SPDX-License-Identifier: Apache-2.0

#include "report/junit.h"

#include <fmt/format.h>

#include "report/summary.h"
#include "report/text.h"

namespace foretell::report {
namespace {

// Bytes of the character that begins at `at`; 0 if it is no well-formed UTF-8 or none XML allows.
size_t character_at(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' || first == '\r';
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  unsigned code = first & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr unsigned kShortest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kShortest[length] || code > 0x10FFFF || is_surrogate) return 0;
  return code == 0xFFFE || code == 0xFFFF ? 0 : length;
}

// XML has no way to write most control characters, escaped or not.
std::string as_xml(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t length = character_at(text, at);
    const std::string_view character = text.substr(at, std::max<size_t>(1, length));
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else if (character == "&") {
      out += "&amp;";
    } else if (character == "<") {
      out += "&lt;";
    } else if (character == ">") {
      out += "&gt;";
    } else if (character == "\"") {
      out += "&quot;";
    } else if (character == "\r") {
      out += "&#13;";
    } else {
      out += character;
    }
    at += character.size();
  }
  return out;
}

// In attributes ends of lines would become blanks.
std::string attribute(std::string_view text) {
  std::string out;
  for (char c : as_xml(text)) {
    if (c == '\n') {
      out += "&#10;";
    } else if (c == '\t') {
      out += "&#9;";
    } else {
      out += c;
    }
  }
  return out;
}

struct Totals {
  size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;

  void add(const JunitCase& c) {
    ++tests;
    failures += !c.failures.empty();
    errors += !c.errors.empty();
    skipped += !c.skipped.empty();
    seconds += c.seconds;
  }
  std::string attributes() const {
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"",
                       tests, failures, errors, skipped, seconds);
  }
};

std::string problem_xml(std::string_view element, const JunitProblem& problem) {
  return fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", element,
                     attribute(problem.type), attribute(problem.message), as_xml(problem.text));
}

std::string case_xml(const JunitCase& c) {
  std::string out = fmt::format("    <testcase name=\"{}\" classname=\"{}\" time=\"{:.3f}\">\n",
                                attribute(c.name), attribute(c.class_name), c.seconds);
  for (const JunitProblem& problem : c.failures) out += problem_xml("failure", problem);
  for (const JunitProblem& problem : c.errors) out += problem_xml("error", problem);
  if (!c.skipped.empty()) {
    out += fmt::format("      <skipped message=\"{}\"/>\n", attribute(c.skipped));
  }
  if (!c.output.empty()) {
    out += fmt::format("      <system-out>{}</system-out>\n", as_xml(c.output));
  }
  return out + "    </testcase>\n";
}

}  // namespace

std::string to_junit(const std::vector<JunitSuite>& suites) {
  Totals all;
  std::string body;
  for (const JunitSuite& suite : suites) {
    Totals totals;
    std::string cases;
    for (const JunitCase& c : suite.cases) {
      totals.add(c);
      all.add(c);
      cases += case_xml(c);
    }
    body += fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n", attribute(suite.name),
                        totals.attributes(), cases);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"foretell\" {}>\n{}"
      "</testsuites>\n",
      all.attributes(), body);
}

JunitCase junit_case(const finding::AnalysisResult& result, finding::Verdict fail_on) {
  JunitCase one{.name = result.trace.name, .class_name = "foretell"};
  for (const finding::PhaseTime& phase : result.phases) one.seconds += phase.seconds;
  for (const finding::Finding& f : result.findings) {
    if (!f.is_open() || f.verdict > fail_on) continue;
    one.failures.push_back({std::string(word_of(f.kind())),
                            fmt::format("{} [{}, {}]", headline_of(f), f.id, word_of(f.verdict)),
                            finding_text(f, result.trace.name)});
  }
  return one;
}

}  // namespace foretell::report
