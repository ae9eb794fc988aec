#include "../front_end.h"

namespace foretell::rt {

bool thread_sanitizer_objects = false;

}  // namespace foretell::rt
