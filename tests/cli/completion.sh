#!/usr/bin/env bash
# The bash script completes commands and options; all shells get one.
. "$(dirname "$0")/common.inc"
"$FORETELL" completion bash >c.bash
run bash -c '. ./c.bash; COMP_WORDS=(foretell an); COMP_CWORD=1; _foretell; echo "${COMPREPLY[@]}"'; expect_out analyze
run bash -c '. ./c.bash; COMP_WORDS=(foretell analyze --an); COMP_CWORD=2; _foretell; echo "${COMPREPLY[@]}"'; expect_out "--analysis"
run bash -c '. ./c.bash; COMP_WORDS=(foretell tiddle com); COMP_CWORD=2; _foretell; echo "${COMPREPLY[@]}"'; expect_out compile
run "$FORETELL" completion zsh; expect_status 0; expect_out "#compdef foretell"
if command -v zsh >/dev/null && has_terminals; then
  # Completion needs a terminal: a shell in a pseudo terminal gets the keys.
  mkdir functions && cp stdout functions/_foretell
  cat >try.zsh <<'Z'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -u -D; print re''ady'
zpty -r shell seen '*ready*'
zpty -w -n shell $'foretell tes\t--fail\t'
zpty -r shell seen '*--fail-on*' && print completed
Z
  run timeout 20 zsh -f try.zsh; expect_out completed
fi
run "$FORETELL" completion fish; expect_status 0; expect_out "complete -c foretell"
run "$FORETELL" completion tcsh; expect_status 64

# Names of findings, where there is a run that has some.
complete_finding() {
  run bash -c "PATH=$(dirname "$FORETELL"):\$PATH; . ./c.bash; COMP_WORDS=(foretell $1 \"$2\"); COMP_CWORD=2; _foretell; echo \"\${COMPREPLY[@]}\""
}
complete_finding replay race
[ -z "$(tr -d '[:space:]' <stdout)" ] || fail "something is completed where there is no run"
cat >two.c <<'C'
#include <pthread.h>
int a, b;
void *up(void *unused) { a = 1; b = 1; return unused; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, up, 0);
  a = 2;
  b = 2;
  return pthread_join(thread, 0);
}
C
"$FORETELL" cc -O0 -pthread two.c -o two
run "$FORETELL" run --no-replay -- ./two
for command in replay explain report; do
  complete_finding $command race; expect_out "race-1 race-2"
done
run "$FORETELL" completion findings; expect_status 0; expect_out race-2
