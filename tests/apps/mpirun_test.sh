#!/usr/bin/env bash
# Tests with several real processes: mpirun_test.sh PART MPI_RANKS PLUG_INS FERNWOOD, where PART is a function below,
# MPI_RANKS the program of mpi_ranks.cpp, PLUG_INS the folder of fernwood_mpi.so and FERNWOOD the program.
set -euo pipefail
part=$1 program=$2 plugins=$3 fernwood=$4
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
three=(mpirun --oversubscribe -n 3 "$program")

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

keep_the_laws() {
  needs_mpirun
  local bytes
  for bytes in "" 31; do
    ends 0 "${three[@]}" laws $bytes
    [[ $(sort "$work/out" | grep -c '^rank [012] of 3$') -eq 3 ]] || fail "three ranks should have run"
    [[ $(grep -c PASSED "$work/out") -eq 3 ]] || fail "each rank should have passed"
  done
}

end_when_one_fails() {
  needs_mpirun
  ends 3 "${three[@]}" fail
  said "error: rank 1 cannot read"
}

end_when_one_never_joins() {
  needs_mpirun
  local start=$SECONDS
  export FERNWOOD_JOIN_SECONDS=3
  "$fernwood" dataset generate --out "$work/rooms" --frames 4 --test-frames 1 --size 64x48 >/dev/null 2>&1
  ends 1 mpirun --oversubscribe -n 2 "$fernwood" train --data "$work/rooms/train" --out "$work/model" : -n 1 sleep 30
  grep -qF "not all processes have joined within 3 s" "$work/err" || fail "it should tell who is missing"
  [[ $((SECONDS - start)) -lt 40 ]] || fail "it should not wait for ever"
  [[ ! -e $work/model ]] || fail "no model should be written"
}

end_when_one_gives_up() {
  needs_mpirun
  ends 5 "${three[@]}" abort
}

end_with_last_words_when_one_is_killed() {
  needs_mpirun
  timeout --kill-after=5 60 "${three[@]}" work >"$work/out" 2>"$work/err" </dev/null &
  local launcher=$! code=0 rank pid
  until [[ $(grep -cE '^[012] [0-9]+$' "$work/out") -eq 3 ]]; do
    kill -0 $launcher 2>/dev/null || fail "mpirun ended early"
    sleep 0.05
  done
  kill -KILL "$(sed -n 's/^1 //p' "$work/out")"
  wait $launcher || code=$?
  [[ $code -eq 137 ]] || fail "mpirun should end with 137, ends with $code"
  said "was ended from outside; resume" 2
  said "error: rank 0 was ended from outside; resume"
  sleep 1  # killed processes may take a moment
  while read -r rank pid; do
    ! runs "$pid" || fail "rank $rank still runs"
  done <"$work/out"
}

# mpirun must end within ten seconds, whether the other ranks exchange messages or not.
end_when_one_is_stopped() {
  needs_mpirun
  local task
  for task in work sleep; do
    timeout --kill-after=5 60 "${three[@]}" $task >"$work/out" 2>"$work/err" </dev/null &
    local launcher=$! code=0 rank pid start
    until [[ $(grep -cE '^[012] [0-9]+$' "$work/out") -eq 3 ]]; do
      kill -0 $launcher 2>/dev/null || fail "mpirun ended early"
      sleep 0.05
    done
    sleep 1
    pid=$(sed -n 's/^1 //p' "$work/out")
    start=$SECONDS
    kill -STOP "$pid"
    wait $launcher || code=$?
    [[ $code -eq 1 ]] || fail "$task: mpirun should end with 1, ends with $code"
    [[ $((SECONDS - start)) -le 10 ]] || fail "$task: took $((SECONDS - start)) s"
    said "error: rank 1 (process $pid on $(hostname)) gave no sign of life for 6 seconds"
    sleep 1
    while read -r rank pid; do
      ! runs "$pid" || fail "$task: rank $rank still runs"
    done <"$work/out"
  done
}

say_last_words_at_the_first_signal() {
  local code=0 process
  "$program" work >"$work/out" 2>"$work/err" &
  process=$!
  until [[ -s $work/out ]]; do sleep 0.02; done
  kill -TERM $process
  until [[ -s $work/err ]]; do sleep 0.02; done
  kill -TERM $process
  wait $process || code=$?
  [[ $code -eq 130 ]] || fail "the second signal should end with 130, ends with $code"
  said "error: rank 0 was ended from outside; resume"
}

rooms() { ends 0 "$fernwood" dataset generate --out "$work/rooms" --frames 6 --test-frames 1 --size 96x72; }

grow_one_forest() {
  needs_mpirun
  local split kind
  local train=("$fernwood" train --data "$work/rooms" --backbone none --trees 2 --max-depth 4 --samples-per-frame 100 --features 30 -j 1)
  rooms
  for kind in forest boosted; do
    ends 0 "${train[@]}" --algorithm $kind --out "$work/one"
    for split in auto features data; do
      ends 0 mpirun --oversubscribe -n 2 "${train[@]}" --algorithm $kind --out "$work/two" --parallel $split
      cmp "$work/one" "$work/two" || fail "two processes, --algorithm $kind --parallel $split: another forest"
    done
  done
  ends 0 "${train[@]}" --algorithm forest --out "$work/one"
  ends 0 mpirun --oversubscribe -n 3 "${train[@]}" --algorithm forest --out "$work/three" --parallel trees
  cmp "$work/one" "$work/three" || fail "three processes, --parallel trees: another forest"
  grep -q '^ranks   3, which divided trees' "$work/out" || fail "the report should tell of the ranks"
  ends 2 mpirun --oversubscribe -n 2 "${train[@]}" --out "$work/x" --parallel trees
  grep -q "error: --parallel trees gives each rank trees of its own" "$work/err" || fail "boosted trees are not dealt"
  ends 2 mpirun --oversubscribe -n 1 "${train[@]}" --out "$work/x" : -n 1 "${train[@]}" --out "$work/x" --seed 3
  grep -q "error: rank 1 runs fernwood .*start all with the same program and options" "$work/err" ||
    fail "ranks with other options should be refused"
  ends 3 mpirun --oversubscribe -n 2 "$fernwood" train --data "$work/nowhere" --out "$work/x"
  said "nowhere does not exist"
}

resume_a_forest_after_a_kill() { resume_a_forest_after KILL 137; }
resume_a_forest_after_a_stop() {
  resume_a_forest_after STOP 1
  grep -q "error: rank 1 (process .*; the run ends: go on from $work/two.checkpoint" "$work/stopped" ||
    fail "the rank that is stopped should be named"
}

resume_a_forest_after() {
  needs_mpirun
  local code=0 launcher signal=$1 expected=$2
  local train=("$fernwood" train --data "$work/rooms" --backbone none --trees 200 --max-depth 5 --samples-per-frame 400 --features 300 -j 1)
  rooms
  timeout --kill-after=5 60 mpirun --oversubscribe -n 3 "${train[@]}" --out "$work/two" --checkpoint-every 0 \
    --parallel features >"$work/out" 2>"$work/err" </dev/null &
  launcher=$!
  until [[ -s $work/two.checkpoint ]]; do
    kill -0 $launcher 2>/dev/null || fail "mpirun ended early"
    sleep 0.02
  done
  kill -"$signal" "$(pgrep -f -- "--out $work/two" | while read -r pid; do
    tr '\0' '\n' <"/proc/$pid/environ" | grep -qx OMPI_COMM_WORLD_RANK=1 && echo "$pid"
  done)"
  wait $launcher || code=$?
  [[ $code -eq $expected ]] || fail "mpirun should end with $expected, ends with $code"
  grep -q "go on from $work/two.checkpoint with --resume" "$work/err" || fail "the checkpoint should be told"
  cp "$work/err" "$work/stopped"
  [[ ! -e $work/two ]] || fail "a run that was ended should leave no model"
  ends 0 mpirun --oversubscribe -n 2 "${train[@]}" --out "$work/two" --parallel data --resume
  ends 0 "${train[@]}" --out "$work/one"
  cmp "$work/one" "$work/two" || fail "another forest after the kill"
}

# The files and output are those of one process, except for measured times.
label_together() {
  needs_mpirun
  rooms
  ends 0 "$fernwood" dataset generate --out "$work/more" --frames 1 --test-frames 5 --size 96x72 --seed 2
  ends 0 "$fernwood" train --data "$work/rooms" --preset fast --trees 3 --backbone none --out "$work/model" -j 1
  local label=("$fernwood" predict --model "$work/model" --data "$work/more/test" --overlay --npy --probabilities)
  ends 0 "${label[@]}" --out "$work/one"
  local processes
  for processes in 2 7; do  # of seven two have no frame
    ends 0 mpirun --oversubscribe -n $processes "${label[@]}" --out "$work/labels$processes"
    [[ $(cat "$work/out") == "5 frames labelled, images are in $work/labels$processes"* ]] || fail "one should tell"
    diff -r "$work/one" "$work/labels$processes" || fail "$processes processes wrote other files"
    ends 0 "$fernwood" evaluate --model "$work/model" --data "$work/more/test" --json
    grep -v second "$work/out" >"$work/alone"
    ends 0 mpirun --oversubscribe -n $processes "$fernwood" evaluate --model "$work/model" --data "$work/more/test" --json
    grep -v second "$work/out" | tr -d '\r' | diff - "$work/alone" || fail "$processes processes found another accuracy"
    ends 0 "$fernwood" evaluate --model "$work/model" --data "$work/more/test"
    grep -v '^frames' "$work/out" >"$work/alone"
    ends 0 mpirun --oversubscribe -n $processes "$fernwood" evaluate --model "$work/model" --data "$work/more/test"
    grep -v '^frames' "$work/out" | tr -d '\r' | diff - "$work/alone" || fail "$processes processes print another table"
  done
  ends 3 mpirun --oversubscribe -n 2 "$fernwood" predict --model "$work/model" --data "$work/nowhere" --out "$work/x"
  said "nowhere does not exist"
  local other=("$fernwood" evaluate --model "$work/model")
  ends 2 mpirun --oversubscribe -n 1 "${other[@]}" --data "$work/more/test" : -n 1 "${other[@]}" --data "$work/rooms/test"
  grep -q "error: rank 1 runs .*start all with the same program and options" "$work/err" || fail "other frames"
  refuses_other_options "${other[@]}" --data "$work/more/test" -- --smooth 3
  refuses_other_options "${label[@]}" --out "$work/x" -- --interpolate
  refuses_other_options "$fernwood" predict --model "$work/model" --data "$work/more/test" --out "$work/x" -- --overlay
  [[ ! -e $work/x ]] || fail "what is refused should write nothing"
}

# refuses_other_options COMMAND... -- OPTIONS...: options passed to only the second process are refused in one line.
refuses_other_options() {
  local command=()
  while [[ $1 != -- ]]; do
    command+=("$1")
    shift
  done
  shift
  ends 2 mpirun --oversubscribe -n 1 "${command[@]}" : -n 1 "${command[@]}" "$@"
  grep -q "error: rank 1 runs fernwood .*$1 .*start all with the same program and options" "$work/err" ||
    fail "another $1 should be refused"
}

# Usage errors are reported in one line, without additional output of mpirun.
tell_usage_errors_once() {
  needs_mpirun
  local lines
  "$fernwood" dataset generate --out "$work/rooms" --frames 2 >"$work/out" 2>"$work/err" ||
    fail "generating frames"
  tells_once() {
    ends 2 mpirun --oversubscribe -n 3 "$fernwood" "$@"
    lines=$(grep -c . "$work/err")
    [[ $lines -eq 1 ]] && grep -q '^error: ' "$work/err" || fail "$*: $lines lines in place of one"
  }
  tells_once train --tress 3
  tells_once train --data "$work/rooms/train" --out "$work/m" --trees 0
  tells_once train --data "$work/rooms/train" --out "$work/m" --memory-budget 4
  tells_once describe --foo
  tells_once dataset generate --out "$work/x" --frames 0
}

tell_ranks() {
  needs_mpirun
  ends 0 mpirun --oversubscribe --bind-to none -n 3 "$fernwood" doctor
  [[ $(grep -c '^ranks' "$work/out") -eq 1 ]] || fail "one rank should tell of all"
  [[ $(grep -cE "^  [012] +$(hostname), [0-9]+ cores?, --device auto takes c" "$work/out") -eq 3 ]] ||
    fail "all ranks should be told"
  grep -qE '^  exchange +[0-9]+ microseconds' "$work/out" || fail "an exchange should have been measured"
  ends 0 "$fernwood" doctor
  ! grep -q '^ranks' "$work/out" || fail "one process is not a rank"
}

refuse_to_work_apart() {
  mkdir "$work/bin"
  cp "$program" "$work/bin"
  FERNWOOD_PLUGINS=$work PMI_SIZE=3 ends 1 "$work/bin/mpi_ranks" work
  said "error: mpirun started this program (PMI_SIZE is set), but this fernwood has no MPI; install libopenmpi-dev"
  needs_mpi
  PMI_SIZE=3 ends 1 "$program" work
  said "error: mpirun started at least 3 processes (PMI_SIZE), but MPI knows of 1; start them with the mpirun of the MPI"
  PMIX_RANK=1 ends 1 "$program" work
}

"$part"
