#!/usr/bin/env bash
# .github: the workflow runs ./check on Debian 12, in a repository that git can read; templates have their headers.
. "$(dirname "$0")/common.inc"
python3 - "$ROOT" <<'P'
import glob, os, sys
import yaml

root = sys.argv[1]
workflow = yaml.safe_load(open(root + "/.github/workflows/ci.yml"))
assert "pull_request" in workflow[True] and "push" in workflow[True], "YAML reads the key 'on' as true"
[job] = workflow["jobs"].values()
assert job["container"] == "debian:12", job["container"]
steps = job["steps"]
runs = [step.get("run", "").strip() for step in steps]
[check] = [number for number, run in enumerate(runs) if run == "./check"]
[checkout] = [number for number, step in enumerate(steps) if step.get("uses", "").startswith("actions/checkout@")]
[git] = [number for number, run in enumerate(runs) if "apt-get install" in run and run.split()[-1] == "git"]
[trust] = [number for number, run in enumerate(runs) if "safe.directory" in run]
assert git < checkout < trust < check, (git, checkout, trust, check)
assert "if" not in steps[check] and "continue-on-error" not in steps[check], "a failing ./check must fail the job"
assert os.access(root + "/check", os.X_OK)

templates = glob.glob(root + "/.github/ISSUE_TEMPLATE/*.md")
assert len(templates) == 2, templates
for path in templates:
    _, header, body = open(path).read().split("---\n", 2)
    assert {"name", "about"} <= set(yaml.safe_load(header)) and body.strip(), path
assert "./check" in open(root + "/.github/pull_request_template.md").read()
P
