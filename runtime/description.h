// What a recorded process is: its command line, folders, environment and ancestors.
//
// With record=DIR/ the reader of the recordings did not start the processes, and they may have
// ended when it reads them. So each process describes itself in a file beside its recording, from
// /proc, before the recording exists. Every recording has its description.
//
// The file is a sequence of fields, "name size\n" then `size` bytes then "\n", in this order:
//   forked     "1" if the process came from a fork without exec, else "0"
//   stat cmdline exe cwd stdin environ         of the process, as /proc has them
//   stat cmdline exe cwd                       of its parent, then of its parent, ...
#pragma once

namespace foretell::rt {

// Writes RECORDING.process. A process that cannot be described is still recorded.
void describe_process(const char* recording, bool forked);

}  // namespace foretell::rt
