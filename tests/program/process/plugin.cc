// Part of the program is loaded while it runs.
// The plugin's thread races with main: sites of both modules have names.
// expect: race shared @plugin-@main confirmed
// plugin: -DPLUGIN
// flags: -rdynamic
// args: %plugin
// output: done
#include <dlfcn.h>

#include <cstdio>
#include <thread>

#ifdef PLUGIN
extern int shared;
extern "C" std::thread* start() {
  return new std::thread([] { shared = 1; });  // @plugin
}
#else
int shared;
int main(int, char** arguments) {
  void* plugin = dlopen(arguments[1], RTLD_NOW);
  if (!plugin) return puts(dlerror());
  auto* start = reinterpret_cast<std::thread* (*)()>(dlsym(plugin, "start"));
  std::thread* thread = start();
  shared = 2;  // @main
  thread->join();
  delete thread;
  dlclose(plugin);
  puts("done");
}
#endif
