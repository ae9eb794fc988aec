#!/usr/bin/env bash
# The runtime may be linked into anything, so it needs libc and nothing else, and of libc only this.
set -euo pipefail
runtime=$(dirname "$FORETELL")/../lib/foretell/libforetell_rt.so
allowed="
  __cxa_finalize __gmon_start__ _ITM_deregisterTMCloneTable _ITM_registerTMCloneTable
  __errno_location environ getauxval __libc_stack_end on_exit __register_atfork
  dlsym dlvsym dlopen dl_iterate_phdr
  pthread_attr_getdetachstate pthread_attr_getstack pthread_attr_destroy pthread_getattr_np pthread_key_create pthread_setspecific pthread_self
  __pthread_register_cancel __pthread_unregister_cancel __pthread_unwind_next __sigsetjmp
  sem_getvalue fileno stdin stdout stderr
  __sanitizer_install_malloc_and_free_hooks __asan_get_shadow_mapping
"
bad=0
for symbol in $(nm -D --undefined-only "$runtime" | awk '{print $2}' | cut -d@ -f1); do
  grep -qw -- "$symbol" <<<"$allowed" || { echo "libforetell_rt.so needs $symbol"; bad=1; }
done
for library in $(readelf -d "$runtime" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
  case $library in
    libc.so.6 | libdl.so.2 | ld-linux-x86-64.so.2) ;;
    *) echo "libforetell_rt.so needs $library"; bad=1 ;;
  esac
done
exit $bad
