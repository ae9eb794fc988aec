// SPDX-License-Identifier: Apache-2.0

#include "test_runs/ctest_names.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/input_file.h"
#include "launch/launch.h"

namespace foretell::test_runs {
namespace {

using Json = nlohmann::ordered_json;

// A script runs as "interpreter [option] script arguments".
bool is_command_of(const std::vector<std::string>& command, const CTestEntry& test) {
  return !test.command.empty() && command.size() >= test.command.size() &&
         command.size() <= test.command.size() + 2 &&
         std::equal(test.command.rbegin(), test.command.rend(), command.rbegin());
}

// How well the process fits a test with the right command.
int fitness(const ProcessEntry& process, const std::vector<std::string>& environment,
            const CTestEntry& test) {
  auto is_set = [&](const std::string& entry) {
    return std::ranges::find(environment, entry) != environment.end();
  };
  int score = 1;
  if (test.directory == process.directory) score += 1;
  for (const std::string& entry : test.environment) score += is_set(entry) ? 2 : -2;
  return score;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " or ") + name;
  return text;
}

bool mentions(const CTestEntry& test, const std::string& program) {
  return std::ranges::any_of(test.command, [&](const std::string& word) {
    return word.find(program) != std::string::npos;
  });
}

// ctest has changed into its --test-dir, so its folder says which tests there are, and -C of what
// build; all other options are about running them.
std::vector<std::string> listing_command(const ProcessEntry& ctest) {
  std::vector<std::string> command = {ctest.program.empty() ? "ctest" : ctest.program};
  for (size_t i = 1; i < ctest.command.size(); ++i) {
    const std::string& word = ctest.command[i];
    const bool takes_next = word == "-C" || word == "--build-config";
    if (takes_next && i + 1 < ctest.command.size()) {
      command.insert(command.end(), {word, ctest.command[i + 1]});
    }
  }
  command.emplace_back("--show-only=json-v1");
  return command;
}

}  // namespace

Result<std::vector<CTestEntry>> parse_ctest_listing(std::string_view json) {
  // nlohmann reports by exceptions; none leaves this function.
  try {
    std::vector<CTestEntry> tests;
    for (const Json& row : Json::parse(json).at("tests")) {
      CTestEntry test;
      row.at("name").get_to(test.name);
      if (!row.contains("command")) continue;  // its program is not built
      row.at("command").get_to(test.command);
      for (const Json& property : row.value("properties", Json::array())) {
        const std::string name = property.at("name");
        if (name == "WORKING_DIRECTORY") property.at("value").get_to(test.directory);
        if (name == "ENVIRONMENT") property.at("value").get_to(test.environment);
      }
      tests.push_back(std::move(test));
    }
    return tests;
  } catch (const Json::exception& error) {
    return fail("the list of tests from ctest is damaged: {}", error.what());
  }
}

std::optional<size_t> ctest_among(const std::vector<ProcessEntry>& ancestors) {
  for (size_t i = 0; i < ancestors.size(); ++i) {
    const std::string name = file_name(ancestors[i].program);
    if (name == "ctest" || name == "ctest3") return i;
  }
  return {};
}

std::string test_of(const ProcessDescription& process, size_t ctest,
                    const std::vector<CTestEntry>& tests) {
  std::vector<const ProcessEntry*> below;  // ctest's child first
  for (size_t i = ctest; i-- > 0;) below.push_back(&process.ancestors[i]);
  below.push_back(&process.self);
  for (const ProcessEntry* entry : below) {
    int best = INT32_MIN;
    std::vector<std::string> names;
    for (const CTestEntry& test : tests) {
      if (!is_command_of(entry->command, test)) continue;
      const int score = fitness(*entry, process.environment, test);
      if (score > best) names.clear();
      if (score >= best) names.push_back(test.name);
      best = std::max(best, score);
    }
    if (!names.empty()) return joined(names);
  }
  std::vector<std::string> names;
  for (const CTestEntry& test : tests) {
    if (mentions(test, file_name(process.self.program))) names.push_back(test.name);
  }
  return names.size() == 1 ? names[0] : "";
}

const std::vector<CTestEntry>& CTestNames::listing(const ProcessEntry& ctest) {
  std::vector<std::string> key = ctest.command;
  key.push_back(ctest.directory);
  const auto [it, fresh] = listings_.try_emplace(std::move(key));
  if (!fresh) return it->second;
  // Without a list tests have no names, and everything else is as it is.
  const auto end = launch::launch({.command = listing_command(ctest),
                                   .directory = ctest.directory,
                                   .environment = {{"FORETELL_OPTIONS", ""}},
                                   .input = "/dev/null",
                                   .output = scratch_,
                                   .error = "/dev/null"});
  if (!end || end->exit_status() != 0) return it->second;
  if (auto file = InputFile::open(scratch_)) {
    if (auto tests = parse_ctest_listing(file->bytes())) it->second = std::move(*tests);
  }
  std::error_code error;
  std::filesystem::remove(scratch_, error);
  return it->second;
}

std::string CTestNames::test_of(const ProcessDescription& process) {
  const auto ctest = ctest_among(process.ancestors);
  if (!ctest) return "";
  return test_runs::test_of(process, *ctest, listing(process.ancestors[*ctest]));
}

}  // namespace foretell::test_runs
