// A signal nobody handles kills, and the recording is that of a killed program.
// status: -15
// status native: -15
// state: running
#include <signal.h>
int main() { raise(SIGTERM); }
