#!/usr/bin/env bash
# Names chosen by the program under test are no commands to a terminal, wherever they are printed.
. "$(dirname "$0")/common.inc"

# A sequence that sets the title, the one-byte form of its beginning in UTF-8, and a character that
# turns the direction of what follows.
evil=$'e\033]0;owned\007\xc2\x9b31m\xe2\x80\xaedlo'
quoted='e\x1b]0;owned\x07\xc2\x9b31m\xe2\x80\xaedlo'
cat >evil.tiddle <<END
fork 0 1
wr 1 "$quoted" 1 @"$quoted.c":3:1 in="$quoted" as="$quoted"
rd 0 "$quoted" 1 @main.c:9:1 in="$quoted" as="$quoted"
join 0 1
END

harmless() {
  if grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xaa-\xae]' stdout stderr; then
    fail "'$1' hands on what the program named"
  fi
}

run "$FORETELL" analyze evil.tiddle
harmless analyze
expect_out 'e\x1b]0;owned\x07\x9b31m\u202edlo'
for arguments in "analyze --gen-suppressions evil.tiddle" "analyze --format=github evil.tiddle" \
  "analyze --analysis=all --show=all evil.tiddle" "explain race-1 --trace=evil.tiddle" \
  "determinism evil.tiddle" "dump evil.tiddle" "dump --facts $evil" "analyze $evil" \
  "report $evil" "explain $evil --trace=evil.tiddle" "analyze --analysis=$evil evil.tiddle"; do
  run "$FORETELL" $arguments
  harmless "$arguments"
done

# The pattern of a suppression still matches the name it stands for.
"$FORETELL" analyze --gen-suppressions evil.tiddle 2>/dev/null | grep '^race:' >rules || true
[ -s rules ] || fail "no suppression was generated"
run "$FORETELL" analyze --suppressions=rules evil.tiddle
expect_status 0

# Text that was dumped is the same trace.
"$FORETELL" dump evil.tiddle >once.tiddle
run "$FORETELL" dump once.tiddle
[ "$out" = "$(<once.tiddle)" ] || fail "the dump of a dump differs"
run "$FORETELL" analyze once.tiddle
expect_out 'e\x1b]0;owned\x07\x9b31m\u202edlo'
