// SPDX-License-Identifier: Apache-2.0

#include "fuzz/fuzz_reader.h"
#include "trace/rapid_binary/rapid_binary_reader.h"

FORETELL_FUZZ_READER(foretell::trace::make_rapid_binary_reader)
