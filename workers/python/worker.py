#!/usr/bin/env python3
"""A worker that runs one command for each task. Standard library only.

It asks Banto for a task, gives the prompt to the command on standard input, renews the lease while the command
runs, and reports: exit 0 completes the task, anything else fails it with the end of what the command printed.

    SERVER_URL       where Banto is (http://127.0.0.1:8080); BANTO_URL is accepted too
    BANTO_TOKEN      this agent's token
    AGENT_ID         its name (the host's name when not set)
    CAPABILITIES     labels it works on, by comma (* is everything)
    WORKER_COMMAND   the command, run by sh in WORKER_FOLDER; it finds BANTO_TASK_ID, BANTO_BRANCH,
                     BANTO_ISSUE_URL and BANTO_TASK_KIND in its environment
    WORKER_FOLDER    where it runs (the current folder)
    LEASE_SECONDS    how long a lease lasts without a heartbeat (120)
"""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid

TAIL = 4000
GRACE_SECONDS = 10


class LeaseLost(Exception):
    """Another agent has the task, or it was cancelled: stop working on it."""


class Refused(Exception):
    """The server says no for good."""


class Banto:
    """The three calls a worker needs. Each repeats until it is answered; repeating changes nothing twice."""

    def __init__(self, url, token):
        self.url = url.rstrip("/")
        self.headers = {"content-type": "application/json"}
        if token:
            self.headers["authorization"] = f"Bearer {token}"

    def post(self, path, body, timeout=30, stopping=None):
        data = json.dumps(body).encode()
        while True:
            request = urllib.request.Request(f"{self.url}/api/v1/{path}", data, self.headers)
            try:
                with urllib.request.urlopen(request, timeout=timeout) as answer:
                    text = answer.read()
                    return json.loads(text) if text else None
            except urllib.error.HTTPError as error:
                text = error.read().decode(errors="replace")
                if error.code == 409:
                    raise LeaseLost(text) from error
                if error.code != 429 and error.code < 500:
                    raise Refused(f"{error.code}: {text}") from error
            except OSError:
                pass  # The server restarts, or the answer was lost on the way.
            if stopping is not None and stopping.is_set():
                return None
            time.sleep(1)


class Worker:
    def __init__(self, env):
        self.banto = Banto(
            env.get("SERVER_URL") or env.get("BANTO_URL") or "http://127.0.0.1:8080", env.get("BANTO_TOKEN")
        )
        self.agent = env.get("AGENT_ID") or socket.gethostname()
        self.capabilities = [word.strip() for word in env.get("CAPABILITIES", "*").split(",") if word.strip()]
        self.command = env.get("WORKER_COMMAND", "")
        self.folder = env.get("WORKER_FOLDER", ".")
        self.lease_seconds = int(env.get("LEASE_SECONDS", "120"))
        self.once = env.get("ONCE") == "1"
        self.stopping = threading.Event()
        self.child = None

    def say(self, text):
        print(f"{self.agent}: {text}", flush=True)

    def stop(self, *_):
        self.stopping.set()
        self.end_child()

    def end_child(self):
        """SIGTERM for the whole group, then SIGKILL."""
        child = self.child
        if child is None or child.poll() is not None:
            return
        os.killpg(child.pid, signal.SIGTERM)
        threading.Timer(GRACE_SECONDS, self.kill_child, [child]).start()

    def kill_child(self, child):
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)

    def renew(self, task, done, lost):
        lease = {"lease_token": task["lease"]["token"]}
        while not done.wait(self.lease_seconds / 3):
            try:
                answer = self.banto.post(f"tasks/{task['task_id']}/heartbeat", lease, stopping=done)
            except (LeaseLost, Refused):
                lost.set()
            if lost.is_set() or (answer or {}).get("stop"):
                self.end_child()
                return

    def run(self, task, lost):
        """The command's exit code and the end of its output."""
        names = {
            "BANTO_TASK_ID": task["task_id"],
            "BANTO_TASK_KIND": task["kind"],
            "BANTO_BRANCH": task["branch_name"],
            "BANTO_ISSUE_URL": task["issue_url"],
        }
        hidden = {"BANTO_TOKEN", "SERVER_URL", "BANTO_URL"}
        env = {name: value for name, value in os.environ.items() if name not in hidden}
        done = threading.Event()
        self.child = subprocess.Popen(
            ["sh", "-c", self.command],
            cwd=self.folder,
            env={**env, **names},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        threading.Thread(target=self.renew, args=(task, done, lost), daemon=True).start()
        try:
            output, _ = self.child.communicate(task["prompt"].encode())
        finally:
            done.set()
        return self.child.returncode, output.decode(errors="replace")[-TAIL:]

    def work_on(self, task):
        name, lease = task["task_id"], {"lease_token": task["lease"]["token"]}
        lost = threading.Event()
        self.say(f"takes {name}: {task['title']}")
        code, tail = self.run(task, lost)
        try:
            if lost.is_set():
                raise LeaseLost(name)
            if self.stopping.is_set():
                self.banto.post(f"tasks/{name}/release", {**lease, "reason": "the worker was stopped"})
                self.say(f"gives {name} back")
            elif code == 0:
                self.banto.post(f"tasks/{name}/complete", {**lease, "summary": tail.strip() or "finished"})
                self.say(f"finished {name}")
            else:
                reason = f"the command ended with {code}: {tail.strip()}"[:TAIL]
                self.banto.post(f"tasks/{name}/fail", {**lease, "reason": reason})
                self.say(f"failed {name} ({code})")
        except LeaseLost:
            self.say(f"lost the lease on {name}")

    def loop(self):
        while not self.stopping.is_set():
            ask = {
                "agent_id": self.agent,
                "capabilities": self.capabilities,
                "kinds": ["implement", "fix"],
                "wait_seconds": 20,
                "lease_seconds": self.lease_seconds,
                "request_id": str(uuid.uuid4()),
                "on_unfinished": "resume",
            }
            task = self.banto.post("request-task", ask, timeout=40, stopping=self.stopping)
            if task is None:
                continue
            self.work_on(task)
            if self.once:
                return


def main():
    worker = Worker(os.environ)
    if not worker.command:
        print("Set WORKER_COMMAND to the command that does the work, for example: claude -p", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, worker.stop)
    signal.signal(signal.SIGINT, worker.stop)
    try:
        worker.loop()
    except Refused as error:
        print(f"Banto refused: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
