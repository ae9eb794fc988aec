// SPDX-License-Identifier: Apache-2.0

#include "fuzz/fuzz_reader.h"
#include "trace/roadrunner/roadrunner_reader.h"

FORETELL_FUZZ_READER(foretell::trace::make_roadrunner_reader)
