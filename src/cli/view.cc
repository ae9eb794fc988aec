// SPDX-License-Identifier: Apache-2.0

// foretell view [FINDING]: the HTML report in a browser, served to this machine only.
//
// The same page as `report --html`, but with far longer traces whole: nobody has to mail it.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "base/output.h"
#include "cli/command.h"
#include "cli/page_server.h"
#include "cli/reported_run.h"

namespace foretell::cli {
namespace {

struct ViewCommand {
  std::string finding;
  std::string run_path;
  uint16_t port = 0;
  uint64_t whole_events = 4'000'000;
  bool open_browser = false;

  Result<void> run() const;
};

void show_in_browser(const std::string& url) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::execlp("xdg-open", "xdg-open", url.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0) {
    std::fputs("warning: xdg-open could not open a browser; open the address above\n", stderr);
  }
}

Result<void> ViewCommand::run() const {
  FORETELL_TRY(directory, launch::RunDirectory::open_for(run_path, finding));
  FORETELL_TRY(info, directory.info());
  FORETELL_TRY(all, read_plainly(directory.findings()));
  const finding::AnalysisResult result = found_in_first(std::move(all));
  if (!finding.empty()) {
    // The page has all of them and opens with this one; a misspelt name is found now.
    finding::AnalysisResult named = result;
    if (auto done = keep_only(named, finding); !done) return done;
  }
  FORETELL_TRY(page, html_page(result, reported_trace(directory, info, launch::RunTrace(directory)),
                               {.finding = finding, .whole_events = whole_events}));
  FORETELL_TRY(server, PageServer::open(port));
  if (auto done = write_text("-", server.url() + "\n"); !done) return done;
  std::fputs("serving this machine only; Ctrl-C ends it\n", stderr);
  if (open_browser) show_in_browser(server.url());
  return server.serve(page);
}

}  // namespace

void add_view(CLI::App& app, ExitCode& exit_code) {
  auto state = std::make_shared<ViewCommand>();
  CLI::App* command = app.add_subcommand("view", "Show the HTML report of a run in a browser");
  command->add_option("finding", state->finding, "Open the page with this finding, like race-1");
  command->add_option("--run", state->run_path, "Folder of the run (default: .foretell/latest)");
  command->add_option("--port", state->port, "Port on 127.0.0.1 (default: any free one)");
  command
      ->add_option("--events", state->whole_events,
                   "Longer traces are cut to windows around findings and\nwhat synchronizes "
                   "(default: 4000000)")
      ->check(CLI::PositiveNumber);
  command->add_flag("--open", state->open_browser, "Open the address with xdg-open");
  command->footer(
      "Prints the address, which holds a random token, and answers until Ctrl-C.\n"
      "Example: foretell view race-1 --open");
  command->callback([state, &exit_code] { exit_code = report(state->run()); });
}

}  // namespace foretell::cli
