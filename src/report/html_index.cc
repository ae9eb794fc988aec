// SPDX-License-Identifier: Apache-2.0

#include "report/html_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

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

// The colors are those of the viewer (web/src/style.css).
constexpr std::string_view kStyle = R"(<style>
:root{color-scheme:light dark;--back:light-dark(#f6f7f9,#12161c);--card:light-dark(#fff,#1a2029);
--ink:light-dark(#1b2430,#e4e9f0);--muted:light-dark(#66707f,#95a1b1);--line:light-dark(#dfe3e9,#2d3643);
--soft:light-dark(#eef1f5,#222a35);--blue:light-dark(#2563eb,#7aa8ff);--red:light-dark(#d92d3a,#ff7a80);
--amber:light-dark(#b45f06,#f2b15f);--green:light-dark(#0f8a5f,#4fc796)}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1100px;padding:24px 20px;font:14px/1.5 system-ui,sans-serif;
color:var(--ink);background:var(--back)}
h1{font:600 19px/1.4 ui-monospace,monospace;margin:0;overflow-wrap:anywhere}
h2{font-size:14px;color:var(--muted);margin:26px 0 8px}
p{margin:6px 0}
.counts b{margin-right:14px}
.warning{color:var(--amber)}
input{font:inherit;color:inherit;width:100%;padding:7px 11px;margin-top:16px;border-radius:8px;
border:1px solid var(--line);background:var(--card)}
article,table{background:var(--card);border:1px solid var(--line);border-radius:10px}
article{padding:11px 15px;margin-top:10px}
article.hidden{display:none}
h3{font-size:15px;margin:0;overflow-wrap:anywhere}
a{color:var(--blue);text-decoration:none}
a:hover{text-decoration:underline}
.badge{font-size:12px;font-weight:500;padding:1px 9px;border-radius:20px;margin-left:6px;
background:var(--soft);color:var(--muted);white-space:nowrap}
.confirmed,.unordered{color:var(--red)}
.predicted{color:var(--amber)}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:2px 14px;margin:7px 0 0}
dt{font:12.5px/1.6 ui-monospace,monospace;color:var(--muted);overflow-wrap:anywhere}
dd{margin:0;overflow-wrap:anywhere}
code{display:block;font:12.5px/1.6 ui-monospace,monospace;white-space:pre-wrap;background:var(--soft);
border-radius:6px;padding:1px 8px;margin:1px 0 4px}
.tests{margin-top:6px;color:var(--muted);font-size:13px}
table{border-collapse:collapse;width:100%}
td,th{text-align:left;padding:5px 12px;border-top:1px solid var(--line);vertical-align:top;
overflow-wrap:anywhere}
tr:first-child>*{border-top:0}
th{font-size:12px;color:var(--muted)}
.clean{color:var(--green)}
@media(max-width:640px){dl{grid-template-columns:1fr}}
</style>
)";

constexpr std::string_view kScript = R"(<script>
document.querySelector('input')?.addEventListener('input', (event) => {
  const words = event.target.value.toLowerCase().split(/\s+/);
  for (const article of document.querySelectorAll('article')) {
    const text = article.textContent.toLowerCase();
    article.classList.toggle('hidden', !words.every((word) => text.includes(word)));
  }
});
</script>
)";

class IndexWriter {
 public:
  IndexWriter(const finding::AnalysisResult& result,
              const std::map<std::string, std::string>& pages, const std::string& directory)
      : result_(result), pages_(pages), directory_(directory) {}

  std::string write() {
    put_head();
    if (result_.findings.empty()) {
      out_ += "<p class=\"clean\">Nothing was found.\n";
    } else {
      if (result_.findings.size() > 5) {
        out_ += "<input type=\"search\" placeholder=\"Search findings\" aria-label=\"Search\">\n";
      }
      for (const finding::Finding& f : result_.findings) put_finding(f);
    }
    put_tests();
    return std::move(out_) + std::string(kScript);
  }

 private:
  void put_head() {
    out_ = fmt::format(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Foretell: {0}</title>\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n{1}<h1>{0}</h1>\n",
        as_html(result_.trace.name), kStyle);
    std::map<finding::Verdict, size_t> counts;
    for (const finding::Finding& f : result_.findings) ++counts[f.verdict];
    if (!counts.empty()) {
      out_ += "<p class=\"counts\">";
      for (const auto& [verdict, count] : counts) {
        out_ += fmt::format("<b class=\"{0}\">{1} {0}</b>", word_of(verdict), count);
      }
      out_ += '\n';
    }
    for (const Diagnostic& warning : result_.warnings) {
      out_ += fmt::format("<p class=\"warning\">{}\n", as_html(warning.to_text("warning")));
    }
  }

  std::string link_to(const finding::Finding& f) const {
    const auto page = pages_.find(f.seen_in.empty() ? "" : f.seen_in[0].run);
    if (page == pages_.end()) return as_html(f.id);
    return fmt::format("<a href=\"{}\">{}</a>", url_of(page->second, f.id), as_html(f.id));
  }

  // The headline leads to the page; each event with its line of source.
  void put_finding(finding::Finding f) {
    std::map<std::string, std::string> lines;
    for (const finding::DescribedEvent& e : f.events) {
      if (const auto place = parse_place(e.site)) {
        if (const auto line = sources_.line(place->file, place->line)) lines[e.site] = *line;
      }
    }
    std::vector<std::string> sites;
    for (const finding::DescribedEvent& e : f.events) sites.push_back(e.site);
    shorten_paths(f, directory_);
    const std::string state = f.suppressed                                       ? ", suppressed"
                              : f.baseline == finding::BaselineState::known      ? ", known"
                              : f.baseline == finding::BaselineState::regression ? ", regression"
                                                                                 : "";
    out_ += fmt::format("<article><h3>{}: {} <span class=\"badge {}\">{}{}</span></h3>\n<dl>\n",
                        link_to(f), as_html(headline_of(f)), word_of(f.verdict), word_of(f.verdict),
                        state);
    for (size_t i = 0; i < f.events.size(); ++i) {
      out_ += fmt::format("<dt>{}<dd>{}", as_html(f.events[i].site),
                          as_html(event_sentence(f, f.events[i])));
      if (const auto line = lines.find(sites[i]); line != lines.end()) {
        const size_t begin = std::min(line->second.find_first_not_of(" \t"), line->second.size());
        out_ += fmt::format("<code>{}</code>", as_html(line->second.substr(begin)));
      }
      out_ += '\n';
    }
    out_ += "</dl>\n";
    if (!f.consequence.empty()) out_ += fmt::format("<p>{}\n", as_html(f.consequence));
    if (const std::string tests = tests_text(f); !tests.empty()) {
      const bool is_run = is_run_of_many(f.seen_in[0]);
      out_ += fmt::format("<p class=\"tests\">{} {}\n", is_run ? "first in" : "seen in",
                          as_html(tests));
    }
    out_ += "</article>\n";
  }

  // Every test, and what was found in it.
  void put_tests() {
    if (result_.trace.tests.empty()) return;
    out_ += "<h2>Tests</h2>\n<table><tr><th>test<th>findings\n";
    for (const finding::RanTest& ran : result_.trace.tests) {
      std::string found;
      for (const finding::Finding& f : result_.findings) {
        const bool is_here = std::ranges::any_of(
            f.seen_in, [&](const finding::SeenIn& seen) { return seen.test == ran.test; });
        if (is_here) found += (found.empty() ? "" : ", ") + link_to(f);
      }
      if (found.empty()) found = "<span class=\"clean\">none</span>";
      out_ += fmt::format("<tr><td>{}<td>{}\n", as_html(ran.test), found);
    }
    out_ += "</table>\n";
  }

  const finding::AnalysisResult& result_;
  const std::map<std::string, std::string>& pages_;
  const std::string& directory_;
  SourceFiles sources_;
  std::string out_;
};

}  // namespace

std::string to_html_index(const finding::AnalysisResult& result,
                          const std::map<std::string, std::string>& pages,
                          const std::string& directory) {
  return IndexWriter(result, pages, directory).write();
}

}  // namespace foretell::report
