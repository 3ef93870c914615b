#!/usr/bin/env bash
# Tests with several real processes: mpirun_test.sh PART PLUG_INS FERNWOOD_TABLES, where PART is a function below, PLUG_INS the folder
# of fernwood_mpi.so and FERNWOOD_TABLES the program.
set -euo pipefail
part=$1 plugins=$2 tables=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/out" "$work/err"
export FERNWOOD_PLUGINS=$plugins OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export HWLOC_HIDE_ERRORS=2  # otherwise mpirun itself writes to standard error where /sys is not mounted

fail() {
  echo "FAILED: $1; standard error:"
  cat "$work/err"
  exit 1
}
# said TEXT [LINES]: expects TEXT in LINES lines of standard error (1 by default).
said() { [[ $(grep -cF "$1" "$work/err") -eq ${2:-1} ]] || fail "\"$1\" should be said ${2:-1} times"; }
# ends CODE COMMAND...: expects that the command ends with this exit code.
ends() {
  local code=$1 got=0
  shift
  timeout --kill-after=5 60 "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
  [[ $got -eq $code ]] || fail "$* should end with $code, ends with $got"
}
# runs PID: whether the process is alive; a zombie is not.
runs() { [[ -e /proc/$1/status ]] && ! grep -q '^State:[[:space:]]*[ZX]' "/proc/$1/status"; }
needs_mpi() {
  if [[ ! -e $plugins/fernwood_mpi.so ]]; then
    echo "skipped: this build has no MPI (libopenmpi-dev)" && exit 77
  fi
}
needs_mpirun() {
  needs_mpi
  if ! mpirun --version 2>/dev/null | grep -q "Open MPI"; then
    echo "skipped: there is no mpirun of Open MPI (openmpi-bin)" && exit 77
  fi
}

end_when_one_never_joins() {
  needs_mpirun
  local program lab=${tables%/apps/fernwood-tables}/lab/fernwood-lab
  export FERNWOOD_JOIN_SECONDS=3
  "$tables" generate --records 1000 --out "$work/records" >/dev/null 2>&1
  for program in "$tables" "$lab"; do
    [[ -x $program ]] || continue
    local command=(stream train)
    [[ $program == "$tables" ]] || command=(stream)
    ends 1 mpirun --oversubscribe -n 2 "$program" "${command[@]}" --data "$work/records" --out "$work/model" : -n 1 sleep 30
    grep -qF "not all processes have joined within 3 s" "$work/err" || fail "it should tell who is missing"
  done
  [[ ! -e $work/model ]] || fail "no model should be written"
}

# train PROCESSES FILE OPTIONS...: trains a tree with this number of processes.
train() {
  local processes=$1 file=$2
  shift 2
  ends 0 mpirun --oversubscribe -n "$processes" "$tables" stream train --data "$work/records.csv" --out "$file" "$@"
}

grow_one_tree() {
  needs_mpirun
  local schedule parallel options
  ends 0 "$tables" generate --records 4000 --attributes 13 --out "$work/records.csv"
  for schedule in passes hoeffding; do
    options=(--schedule $schedule)
    [[ $schedule == hoeffding ]] && options+=(--batch 500)
    ends 0 "$tables" stream train --data "$work/records.csv" --out "$work/one" "${options[@]}"
    for parallel in data feature data-feature; do
      train 3 "$work/three" "${options[@]}" --parallel $parallel
      cmp "$work/one" "$work/three" || fail "three processes, $schedule, $parallel: another tree"
    done
    train 4 "$work/four" "${options[@]}"
    cmp "$work/one" "$work/four" || fail "four processes, $schedule: another tree"
  done
  ends 2 mpirun -n 2 --oversubscribe "$tables" stream train --data "$work/records.csv" --out "$work/x" --bins 999
  said "error: --bins is 999; use a number from 2 to 255"
  ends 2 mpirun -n 2 --oversubscribe "$tables" stream train --data "$work/records.csv" --out "$work/x" --parallel node
  said "error: --parallel node is for one process and 2 were started"
}

resume_after_a_kill() {
  needs_mpirun
  local checkpoint=$work/checkpoint code=0 launcher
  local options=(--schedule hoeffding --batch 100 --max-depth 6)
  ends 0 "$tables" generate --records 20000 --attributes 13 --out "$work/records.csv"
  ends 0 "$tables" stream train --data "$work/records.csv" --out "$work/one" "${options[@]}"
  mkfifo "$work/pipe"  # half of the records come, then nothing: the run waits for its end
  (head -n 10000 "$work/records.csv" && sleep 100) >"$work/pipe" &
  local feeder=$!
  timeout --kill-after=5 60 mpirun --oversubscribe -n 3 "$tables" stream train --data "$work/pipe" --format csv \
    --out "$work/two" "${options[@]}" --checkpoint "$checkpoint" --checkpoint-every 0 >"$work/out" 2>"$work/err" &
  launcher=$!
  until [[ -s $checkpoint ]]; do
    kill -0 $launcher 2>/dev/null || fail "mpirun ended early"
    sleep 0.05
  done
  # Rank 0 reads the records; if it is killed, another rank must report the checkpoint to continue from.
  kill -KILL "$(pgrep -f -- "--checkpoint $checkpoint" | while read -r pid; do
    tr '\0' '\n' <"/proc/$pid/environ" | grep -qx OMPI_COMM_WORLD_RANK=0 && echo "$pid"
  done)"
  wait $launcher || code=$?
  kill $feeder 2>/dev/null || true
  [[ $code -eq 137 ]] || fail "mpirun should end with 137, ends with $code"
  said "go on from $checkpoint with --resume"
  [[ ! -e $work/two ]] || fail "a run that was ended should leave no model"
  train 2 "$work/two" "${options[@]}" --checkpoint "$checkpoint" --resume
  cmp "$work/one" "$work/two" || fail "another tree after the kill"
}

"$part"
