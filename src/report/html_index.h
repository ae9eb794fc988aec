// SPDX-License-Identifier: Apache-2.0

// The first page of an HTML report on many processes: the findings with links to their pages.
#pragma once

#include <map>
#include <string>

#include "finding/result.h"

namespace foretell::report {

// `pages` has the file of each process's page, by the folder of its run. Files below `directory`
// are named as seen from there.
std::string to_html_index(const finding::AnalysisResult& result,
                          const std::map<std::string, std::string>& pages,
                          const std::string& directory);

}  // namespace foretell::report
