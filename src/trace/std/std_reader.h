// SPDX-License-Identifier: Apache-2.0

// Reader of STD text, the format of public trace suites (RAPID).
//
//   LINE      = THREAD '|' OPERATION [ '|' SITE ]
//   OPERATION = ('r' | 'w') '(' VARIABLE ')'
//             | ('acq' | 'rel' | 'req') '(' LOCK ')'
//             | ('fork' | 'join') '(' THREAD ')'
//             | ('begin' | 'end') [ '(' [ LABEL ] ')' ]
//
// for example `T0|r(V1.3[7])|345`. Names hold any text; the parenthesis that closes an operand is
// the first one before a '|' or the line's end. A block without a label is called "block". Blank
// lines and lines that begin with '#' are passed over, line ends may be CR LF, blanks around the
// three fields do not count.
#pragma once

#include <memory>

#include "trace/reader.h"

namespace foretell::trace {

std::unique_ptr<TraceReader> make_std_reader(InputFile file);

}  // namespace foretell::trace
