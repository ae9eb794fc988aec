// Which compiler made the objects of this program.
#pragma once

namespace foretell::rt {

// Some were compiled with -fsanitize=thread: their accesses come without values, and their calls
// without sites.
extern bool thread_sanitizer_objects;

}  // namespace foretell::rt
