// SPDX-License-Identifier: Apache-2.0

#include "report/html_index.h"

#include <fmt/format.h>

#include "report/source.h"
#include "report/summary.h"

namespace foretell::report {
namespace {

// Every string of the program under test goes through here.
std::string as_html(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string url_of(const std::string& file, const std::string& finding) {
  std::string out;
  for (char c : file) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out + "#f=" + finding;
}

std::string row_of(const finding::Finding& f, const std::map<std::string, std::string>& pages) {
  std::string name = as_html(f.id);
  const auto page = pages.find(f.seen_in.empty() ? "" : f.seen_in[0].run);
  if (page != pages.end()) {
    name = fmt::format("<a href=\"{}\">{}</a>", url_of(page->second, f.id), name);
  }
  const std::string state = f.suppressed                                       ? ", suppressed"
                            : f.baseline == finding::BaselineState::known      ? ", known"
                            : f.baseline == finding::BaselineState::regression ? ", regression"
                                                                               : "";
  return fmt::format("<tr><td>{}<td>{}{}<td>{}<td>{}<td>{}\n", name, word_of(f.verdict), state,
                     as_html(headline_of(f)), as_html(f.events.empty() ? "" : f.events[0].site),
                     as_html(tests_text(f)));
}

}  // namespace

std::string to_html_index(const finding::AnalysisResult& result,
                          const std::map<std::string, std::string>& pages,
                          const std::string& directory) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Foretell: {0}</title>\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<style>:root{{color-scheme:light dark}}body{{font:15px/1.5 "
      "system-ui,sans-serif;margin:2rem}}"
      "td,th{{text-align:left;padding:.2rem 1rem .2rem 0;vertical-align:top}}</style>\n"
      "<h1>{0}</h1>\n",
      as_html(result.trace.name));
  for (const Diagnostic& warning : result.warnings) {
    out += fmt::format("<p>{}\n", as_html(warning.to_text("warning")));
  }
  if (result.findings.empty()) return out + "<p>Nothing was found.\n";
  out += "<table><tr><th>finding<th>verdict<th>what<th>where<th>tests\n";
  for (finding::Finding f : result.findings) {
    shorten_paths(f, directory);
    out += row_of(f, pages);
  }
  return out + "</table>\n";
}

}  // namespace foretell::report
