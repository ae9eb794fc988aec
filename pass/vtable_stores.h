// SPDX-License-Identifier: Apache-2.0

// A destructor stores the table of its class once more, although the object mostly has it already.
// A call of a virtual function by another thread meanwhile sees the same table before and after:
// that is no race anybody can notice. So the store is made, and recorded, only if it changes the
// object. (ThreadSanitizer ignores such stores, too.)
//
// Only in destructors: the memory that a constructor finds may be undefined.
#pragma once

#include "selection.h"

namespace foretell::pass {

// After all hooks were chosen: what it adds gets none.
void make_vtable_stores_conditional(const Selection& selection);

}  // namespace foretell::pass
