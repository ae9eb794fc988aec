// One source file has more places than there are numbers for: it is refused.
// modes: controlled
// status: 65
// state: running
// stderr: too many instrumented places for one recording
#include <vector>

#include "../../../recording/hooks.h"

int main() {
  using namespace foretell::recording;
  const std::vector<SiteRow> sites(2 * kMaxSite);
  std::vector<uint64_t> bits(sites.size());
  const Module module{.abi = kAbi,
                      .site_count = static_cast<uint32_t>(sites.size()),
                      .sites = sites.data(),
                      .globals = nullptr,
                      .strings = "\0large.c",
                      .strings_size = 9,
                      .global_count = 0,
                      .site_bits = bits.data(),
                      .name = 1,
                      .skipped = 0,
                      .repeated = 0,
                      .padding = 0};
  __foretell_register(&module);
}
