#!/usr/bin/env bash
# Processes that really are several: mpirun_test.sh PART MPI_RANKS PLUG_INS, where PART is a function below, MPI_RANKS
# the program of mpi_ranks.cpp and PLUG_INS the folder of fernwood_mpi.so.
set -euo pipefail
part=$1 program=$2 plugins=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/out" "$work/err"
export FERNWOOD_PLUGINS=$plugins OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

fail() {
  echo "FAILED: $1; standard error:"
  cat "$work/err"
  exit 1
}
# said TEXT [LINES]: on standard error, in one line unless told.
said() { [[ $(grep -cF "$1" "$work/err") -eq ${2:-1} ]] || fail "\"$1\" should be said ${2:-1} times"; }
# ends CODE COMMAND...: the command ends, with that exit code.
ends() {
  local code=$1 got=0
  shift
  timeout --kill-after=5 60 "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
  [[ $got -eq $code ]] || fail "$* should end with $code, ends with $got"
}
# runs PID: not dead, also where nobody asks how it ended.
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

end_when_one_gives_up() {
  needs_mpirun
  ends 5 "${three[@]}" abandon
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
