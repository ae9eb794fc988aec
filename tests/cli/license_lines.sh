#!/usr/bin/env bash
# Every source and script names its license in its first lines.
exec "$ROOT/scripts/license-lines" --check
