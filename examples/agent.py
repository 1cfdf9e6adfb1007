#!/usr/bin/env python3
"""An agent in Python, with the standard library alone: ask, renew the lease, report.

    AGENT_ID=py-1 CAPABILITIES=docs,python python3 agent.py

Put your own work into do_work(). It survives a restart of the server, and stops when its lease was lost.
"""

import json
import os
import threading
import time
import urllib.error
import urllib.request
import uuid

URL = os.environ.get("BANTO_URL", "http://127.0.0.1:8080")
TOKEN = os.environ.get("BANTO_TOKEN", "")
AGENT = os.environ.get("AGENT_ID", "py-1")
CAPABILITIES = os.environ.get("CAPABILITIES", "*").split(",")
LEASE_SECONDS = int(os.environ.get("LEASE_SECONDS", "60"))


class LeaseLost(Exception):
    """Somebody else has the task now: stop working on it."""


def post(path, body, timeout=30):
    """The answer's status and JSON. Repeats while the server cannot be reached or is busy."""
    headers = {"content-type": "application/json"}
    if TOKEN:
        headers["authorization"] = f"Bearer {TOKEN}"
    data = json.dumps(body).encode()
    while True:
        request = urllib.request.Request(f"{URL}/api/v1/{path}", data, headers)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                text = answer.read()
                return answer.status, json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            if error.code == 409:
                raise LeaseLost(text) from error
            if error.code != 429 and error.code < 500:
                raise SystemExit(f"{error.code}: {text}") from error
        except OSError:
            pass  # Restarting, or the answer was lost on the way: the same call again changes nothing twice.
        time.sleep(1)


def do_work(task, lost):
    """Your work. Look at lost.is_set() from time to time; raise to fail the task."""
    print(f"{AGENT}: works on #{task['issue_id']} {task['title']} on {task['branch_name']}", flush=True)
    lost.wait(float(os.environ.get("WORK_SECONDS", "0")))
    return f"finished by {AGENT}"


def renew(task, done, lost):
    lease = {"lease_token": task["lease"]["token"]}
    while not done.wait(LEASE_SECONDS / 3):
        try:
            post(f"tasks/{task['task_id']}/heartbeat", lease)
        except LeaseLost:
            lost.set()
            return


def work_on(task):
    done, lost = threading.Event(), threading.Event()
    threading.Thread(target=renew, args=(task, done, lost), daemon=True).start()
    lease = {"lease_token": task["lease"]["token"]}
    name = task["task_id"]
    try:
        try:
            summary = do_work(task, lost)
        except Exception as error:  # noqa: BLE001 - whatever went wrong is the reason of the failure
            post(f"tasks/{name}/fail", {**lease, "reason": str(error) or type(error).__name__})
            print(f"{AGENT}: failed {name}", flush=True)
            return
        post(f"tasks/{name}/complete", {**lease, "summary": summary})
        print(f"{AGENT}: finished {name}", flush=True)
    except LeaseLost:
        print(f"{AGENT}: the lease on {name} was lost", flush=True)
    finally:
        done.set()


def main():
    while True:
        ask = {
            "agent_id": AGENT,
            "capabilities": CAPABILITIES,
            "wait_seconds": 30,
            "lease_seconds": LEASE_SECONDS,
            "request_id": str(uuid.uuid4()),
            "on_unfinished": "resume",
        }
        status, task = post("request-task", ask, timeout=45)
        if status == 200:
            print(f"{AGENT}: takes {task['task_id']}", flush=True)
            work_on(task)
            if os.environ.get("ONCE") == "1":
                return


if __name__ == "__main__":
    main()
