#!/usr/bin/env bash
# The bash script completes commands and options; all shells get one.
. "$(dirname "$0")/common.inc"
"$FORETELL" completion bash >c.bash
run bash -c '. ./c.bash; COMP_WORDS=(foretell an); COMP_CWORD=1; _foretell; echo "${COMPREPLY[@]}"'; expect_out analyze
run bash -c '. ./c.bash; COMP_WORDS=(foretell analyze --an); COMP_CWORD=2; _foretell; echo "${COMPREPLY[@]}"'; expect_out "--analysis"
run bash -c '. ./c.bash; COMP_WORDS=(foretell tiddle com); COMP_CWORD=2; _foretell; echo "${COMPREPLY[@]}"'; expect_out compile
run "$FORETELL" completion zsh; expect_status 0; expect_out "#compdef foretell"
run "$FORETELL" completion fish; expect_status 0; expect_out "complete -c foretell"
run "$FORETELL" completion tcsh; expect_status 64
