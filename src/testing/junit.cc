#include "testing/junit.h"

#include <algorithm>

namespace foretell {
namespace {

// XML 1.0 knows no control characters, not even as references; what is no UTF-8 becomes '?'.
std::string escaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const size_t length = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 0;
    bool whole = length > 0 && c < 0xf5 && i + length <= text.size();
    for (size_t k = 1; whole && k < length; ++k) {
      whole = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
    }
    if (!whole) {
      out += '?';
      ++i;
      continue;
    }
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        if (c < 0x20 && c != '\n' && c != '\t') {
          out += '?';
        } else {
          out += text.substr(i, length);
        }
    }
    i += length;
  }
  return out;
}

struct TestCase {
  std::string suite, name;
  double seconds = 0;
  std::vector<const Finding*> findings;
  std::string error;
};

class Cases {
 public:
  TestCase& at(const std::string& suite, const std::string& name) {
    for (TestCase& known : rows_) {
      if (known.suite == suite && known.name == name) return known;
    }
    return rows_.emplace_back(suite, name);
  }
  const std::vector<TestCase>& rows() const { return rows_; }

 private:
  std::vector<TestCase> rows_;
};

std::string headline(const Finding& f) {
  const std::string what = f.location.empty()
                               ? std::string(word_of(f.kind))
                               : fmt::format("{} on '{}'", word_of(f.kind), f.location);
  return fmt::format("{} [{}, {}]", what, f.id, word_of(f.verdict));
}

}  // namespace

std::string to_junit(const std::vector<ProcessRun>& runs, const MergedResult& merged,
                     const std::function<std::string(const Finding&)>& text_of) {
  const std::string kSuite = "foretell";
  Cases cases;
  for (const ProcessRun& run : runs) {
    const auto& names = run.cases.names();
    for (const std::string& name : names) cases.at(run.title(), name);
    if (names.empty() || !run.trouble().empty()) {
      TestCase& whole = cases.at(kSuite, run.title());
      whole.seconds += run.run.info.seconds;
      if (whole.error.empty()) whole.error = run.trouble();
    }
  }
  for (const Finding& f : merged.result.findings) {
    if (f.verdict == Verdict::possible) continue;
    for (const SeenIn& seen : merged.tests.at(f.id)) {
      const bool has_case = !seen.test_case.empty();
      cases.at(has_case ? seen.test : kSuite, has_case ? seen.test_case : seen.test)
          .findings.push_back(&f);
    }
  }
  const auto& rows = cases.rows();
  const auto failures =
      std::ranges::count_if(rows, [](auto& row) { return !row.findings.empty(); });
  const auto errors = std::ranges::count_if(rows, [](auto& row) { return !row.error.empty(); });
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites>\n  <testsuite name=\"foretell\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n",
      rows.size(), failures, errors);
  for (const TestCase& row : rows) {
    out += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"",
                       escaped(row.suite), escaped(row.name), row.seconds);
    if (row.findings.empty() && row.error.empty()) {
      out += "/>\n";
      continue;
    }
    out += ">\n";
    for (const Finding* f : row.findings) {
      out += fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                         word_of(f->kind), escaped(headline(*f)), escaped(text_of(*f)));
    }
    if (!row.error.empty()) {
      out += fmt::format("      <error type=\"process\" message=\"{}\"/>\n", escaped(row.error));
    }
    out += "    </testcase>\n";
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace foretell
