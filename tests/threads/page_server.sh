#!/usr/bin/env bash
# Several browsers at once load the page that `foretell view` serves.
exec python3 - "$@" <<'P'
import os, signal, subprocess, tempfile, threading, urllib.request

foretell = os.environ["FORETELL"]
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    subprocess.run([foretell, "c++", "-O1", "-g", "-pthread", os.environ["ROOT"] + "/examples/bank.cc", "-o", "bank"],
                   check=True)
    subprocess.run([foretell, "run", "--no-replay", "--", "./bank"], stdout=subprocess.DEVNULL)
    server = subprocess.Popen([foretell, "view"], stdout=subprocess.PIPE, text=True)
    url = server.stdout.readline().strip()
    pages = []
    threads = [threading.Thread(target=lambda: pages.append(urllib.request.urlopen(url, timeout=60).read()))
               for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    server.send_signal(signal.SIGINT)
    status = server.wait(timeout=60)
    assert status == 0, f"foretell view exited with {status}"
    assert len(pages) == 8 and len(set(pages)) == 1 and b"race-1" in pages[0], len(pages)
P
