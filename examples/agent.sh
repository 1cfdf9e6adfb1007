#!/bin/sh
# A whole agent in one shell script: ask for a task, renew the lease while the work runs, report.
# It needs sh and curl, nothing else.
#
#   AGENT_ID=sh-1 CAPABILITIES=docs,python ./agent.sh ./my-work.sh
#
# The command gets the task as JSON on standard input, and BANTO_TASK_ID, BANTO_BRANCH and BANTO_ISSUE.
# Exit 0: done, the task goes to review. Anything else: failed, the task is tried again later.
#
#   BANTO_URL       where Banto is (http://127.0.0.1:8080)
#   BANTO_TOKEN     the agent's token, where the server needs one
#   LEASE_SECONDS   how long a lease lasts without a heartbeat (60)
#   ONCE=1          stop after one task

set -u
url=${BANTO_URL:-http://127.0.0.1:8080}/api/v1
agent=${AGENT_ID:?Set AGENT_ID to a name for this agent}
lease=${LEASE_SECONDS:-60}
[ $# -gt 0 ] || { echo "usage: AGENT_ID=sh-1 CAPABILITIES=docs $0 command [argument ...]" >&2; exit 2; }

# docs,python → "docs","python"
capabilities=$(printf '%s' "${CAPABILITIES:-*}" | sed 's/[\\"]//g; s/,/","/g; s/.*/"&"/')
folder=$(mktemp -d)
work=
trap 'rm -rf "$folder"' EXIT
trap 'stop_work; release; exit 143' INT TERM

# post PATH BODY SECONDS: the answer goes to $folder/answer. Prints the status, 000 when no answer came.
post() {
  set -- -sS -o "$folder/answer" -w '%{http_code}' --max-time "$3" \
    -H 'content-type: application/json' -d "$2" "$url/$1"
  [ -n "${BANTO_TOKEN:-}" ] && set -- -H "authorization: Bearer $BANTO_TOKEN" "$@"
  curl "$@" 2>"$folder/trouble" || true
}

# A quote inside a JSON text is always escaped, so no issue text can look like a field.
text() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$folder/task" | head -n 1; }

stop_work() { [ -n "$work" ] && kill "$work" 2>/dev/null && wait "$work" 2>/dev/null; work=; }
release() {
  [ -n "${task:-}" ] && post "tasks/$task/release" "{\"lease_token\":\"$token\"}" 10 >/dev/null
}

# A report is repeated until Banto has answered it: the same call twice changes nothing.
report() {
  while :; do
    status=$(post "tasks/$task/$1" "$2" 30)
    case $status in
      2??) return 0 ;;
      000 | 429 | 5??) sleep 2 ;;
      409) echo "$agent: the lease on $task was lost, somebody else goes on" >&2; return 1 ;;
      *) cat "$folder/answer" >&2; return 1 ;;
    esac
  done
}

# Runs the command and renews the lease. Fails with 99 when the lease was lost.
run_task() {
  BANTO_TASK_ID=$task BANTO_BRANCH=$(text branch_name) BANTO_ISSUE=$(text issue_url) \
    "$@" <"$folder/task" &
  work=$!
  beat=0
  while kill -0 "$work" 2>/dev/null; do
    sleep 1
    beat=$((beat + 1))
    [ $beat -ge $((lease / 3)) ] || continue
    beat=0
    if [ "$(post "tasks/$task/heartbeat" "{\"lease_token\":\"$token\"}" 10)" = 409 ]; then
      stop_work
      return 99
    fi
  done
  wait "$work"
  result=$?
  work=
  return $result
}

number=0
while :; do
  # The same request id until an answer came: a task that was given to a lost answer is given again.
  number=$((number + 1))
  request="$agent-$$-$(date +%s)-$number"
  while :; do
    status=$(post request-task "{\"agent_id\":\"$agent\",\"capabilities\":[$capabilities],\"wait_seconds\":30,\"lease_seconds\":$lease,\"request_id\":\"$request\",\"on_unfinished\":\"resume\"}" 45)
    case $status in
      200 | 204) break ;;
      000 | 429 | 5??) sleep 2 ;;
      *) cat "$folder/answer" >&2; exit 1 ;;
    esac
  done
  [ "$status" = 200 ] || continue
  mv "$folder/answer" "$folder/task"
  task=$(text task_id)
  token=$(text token)
  echo "$agent: takes $task"
  run_task "$@"
  result=$?
  if [ $result -eq 0 ]; then
    report complete "{\"lease_token\":\"$token\",\"summary\":\"finished by $agent\"}" && echo "$agent: finished $task"
  elif [ $result -eq 99 ]; then
    echo "$agent: the lease on $task was lost, the work is stopped" >&2
  else
    report fail "{\"lease_token\":\"$token\",\"reason\":\"the command ended with $result\"}" && echo "$agent: failed $task"
  fi
  task=
  [ "${ONCE:-}" = 1 ] && exit 0
done
