#!/usr/bin/env bash
# The test of the manual notices a command that nobody runs, prints something else, or does not exist.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.inc"
mkdir -p manual/docs manual/examples
page=$scratch/manual/docs/page.md
printf '```console\n$ foretell list formats\n...\n```\n' >manual/README.md
refuses() {  # what the page says; the message
  printf "$1" >"$page"
  run env ROOT="$scratch/manual" "$here/manual" "$page"
  expect_status 1
  expect_err "$2"
}
refuses '```\nforetell run -- ./bank\n```\n' "page.md:2: error: a command in a block that nobody runs"
refuses '```sh\nmake && foretell run -- ./bank\n```\n' "page.md:2: error: a command in a block that nobody runs"
refuses '    foretell run -- ./bank\n' "page.md:1: error: a command in an indented block"
refuses 'Try `foretell list events`.\n' "no console block of the manual runs 'foretell list events'"
refuses 'Try `foretell list formats --all`.\n' "'foretell list formats' has no option --all"
refuses 'Try `foretell lst`.\n' "there is no 'foretell lst'"
refuses 'Try `--fromat`.\n' "no command has an option --fromat"
refuses '| `foretell list formats` | `--json` |\n' "'foretell list formats' has no option --json"
refuses '```console\n$ foretell --version\nforetell 7\n```\n' "-- printed"

printf 'Try `foretell list formats`.\n```console\n$ (exit 3)\n$ echo $?\n3\n```\n' >"$page"
run env ROOT="$scratch/manual" "$here/manual" "$page"; expect_status 0; expect_out "2 commands, 0 printed something else"
