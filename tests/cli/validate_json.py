#!/usr/bin/env python3
"""validate_json.py SCHEMA FILE...: every FILE is valid against the JSON schema, or this fails."""
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1]))
checker = jsonschema.validators.validator_for(schema)
checker.check_schema(schema)
for path in sys.argv[2:]:
    errors = sorted(checker(schema).iter_errors(json.load(open(path))), key=lambda e: list(map(str, e.path)))
    for error in errors[:10]:
        print(f"{path}: {'/'.join(map(str, error.path))}: {error.message[:300]}", file=sys.stderr)
    if errors:
        sys.exit(1)
