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
