#!/usr/bin/env python3
"""Runs the job of a GitHub Actions workflow in the current folder, as far as that goes without GitHub.

run_workflow.py WORKFLOW.yml PREFIX

`run` steps are run by `bash -e`, as there; those that install packages are left out, since what they install is in PREFIX,
which stands for /usr. Steps after a failure run only if their condition says so. Of steps that upload, the files must
exist. Prints a line for each step; exits with 1 if something that is uploaded does not exist or the workflow is wrong, else with 0."""

import glob
import subprocess
import sys

import yaml

KNOWN = {"actions/checkout": None, "actions/upload-artifact": "path", "github/codeql-action/upload-sarif": "sarif_file"}


def main():
    path, prefix = sys.argv[1:]
    with open(path) as file:
        workflow = yaml.safe_load(file)
    assert set(workflow[True]) == {"push", "pull_request"}, "YAML reads the key 'on' as true"
    [job] = workflow["jobs"].values()
    failed = wrong = False
    for step in job["steps"]:
        name, condition = step.get("name", step.get("uses")), step.get("if", "success()")
        assert condition in ("success()", "failure()", "always()"), condition
        if not {"success()": not failed, "failure()": failed, "always()": True}[condition]:
            print(f"{name}: skipped")
        elif "run" in step and "apt-get install" in step["run"]:
            print(f"{name}: not here")
        elif "run" in step:
            done = subprocess.run(["bash", "-e", "-c", step["run"].replace("/usr/", prefix + "/")])
            print(f"{name}: exited with {done.returncode}", flush=True)
            failed = failed or done.returncode != 0
        else:
            key = KNOWN[step["uses"].partition("@")[0]]
            for pattern in step["with"][key].split() if key else []:
                files = glob.glob(pattern)
                wrong = wrong or not files
                print(f"{name}: {pattern}: {' '.join(sorted(files)) or 'MISSING'}")
    return 1 if wrong else 0


sys.exit(main())
