#!/bin/bash
# Builds the programs beside this script with nvcc and gcc, runs them on the GPU, and compares what they print with what the functions as
# they are written print. Needs nvcc, gcc and python3; for `check` compute-sanitizer, for `measure` ncu.
#
#   run.sh compare [RESULTS]   what kernels compute: results.tsv
#   run.sh check [RESULTS]     their accesses under compute-sanitizer: check.tsv
#   run.sh measure [RESULTS]   what they move and how long they take, by ncu: measured.tsv
#
# RESULTS is a directory, else this one. JOBS programs are built or run at a time (16), for at most LIMIT seconds (200). What `check` has
# no time for, another call of it goes on with.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here" || exit 1
. ./flags.sh
for home in "${CUDA_HOME:-}" /usr/local/cuda; do
    [ -x "$home/bin/nvcc" ] && PATH=$PATH:$home/bin
done

# Writes build/ID/program, or why there is none into build/ID/log.
build() {
    local program=$1 build=build/$1 compiler=gcc caller
    [ -x "$build/program" ] && return
    mkdir -p "$build"
    caller=$(echo "$program"/caller.*)
    [ "${caller##*.}" = cpp ] && compiler=g++
    {
        "$compiler" @"$program/options" $COMPILED -c "$caller" -o "$build/caller.o" &&
            nvcc $KERNELS -c "$program/kernels.cu" -o "$build/kernels.o" &&
            nvcc $LINKED "$build/caller.o" "$build/kernels.o" -o "$build/program" -lm
    } >"$build/log" 2>&1
}

# Runs a program on all its inputs.
compare() {
    local build=build/$1
    [ -x "$build/program" ] || return
    # What freed memory holds must not look right by chance. The shell would say that a program crashed.
    {
        MALLOC_PERTURB_=165 timeout 60 "$build/program" $(cat "$1/seeds") >"$build/printed" 2>"$build/said"
        echo $? >"$build/status"
    } 2>/dev/null
}

# Runs a program under a tool of compute-sanitizer, unless an earlier call did or time is up.
check() {
    local build=build/$1 tool=$2
    [ -x "$build/program" ] || return
    [ -e "$build/$tool.status" ] && return
    [ "$(date +%s)" -lt "$DEADLINE" ] || return
    timeout 90 compute-sanitizer --tool "$tool" --error-exitcode 9 "$build/program" $(cat "$1/seeds") \
        >"$build/$tool" 2>&1
    echo $? >"$build/$tool.status"
}

# Profiles a program of its own `main`, unless time is up.
measure() {
    local build=build/$1
    [ -x "$build/program" ] || return
    [ "$(date +%s)" -lt "$DEADLINE" ] || return
    timeout 60 "$build/program" $(cat "$1/arguments") >"$build/printed" 2>"$build/said"
    echo $? >"$build/status"
    timeout 100 ncu --csv --print-units base --clock-control none --metrics "$METRICS" "$build/program" $(cat "$1/arguments") \
        >"$build/metrics.csv" 2>"$build/ncu"
    echo $? >"$build/ncu.status"
}

case "${1:-}" in
--one)
    shift
    "$@"
    exit
    ;;
compare | check | measure) ;;
*)
    sed -n '2,/^set/s/^# \{0,1\}//p' "$here/run.sh"
    exit 2
    ;;
esac
mode=$1
results=${2:-$here}
mkdir -p "$results"
results=$(cd "$results" && pwd)
export DEADLINE=$(($(date +%s) + ${LIMIT:-200}))
jobs=${JOBS:-16}
run() { # FUNCTION JOBS [ARGUMENT], with names of programs on standard input
    xargs -r -P "$2" -I ID "$here/run.sh" --one "$1" ID ${3:+"$3"}
}
about() { # What results were found with.
    printf '# device\t%s\n' "$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -1)"
    printf '# driver\t%s\n' "$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -1)"
    printf '# CUDA\t%s\n' "$(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')"
}
names() { # Of programs that a table lists: those that are compared, or the tiled ones among them.
    awk -F '\t' -v only="${2:-}" 'NR > 1 && (only == "" || $8 == only) { print $1 }' "$1"
}

case $mode in
compare)
    names programs.tsv | run build "$jobs"
    echo "built after $SECONDS s"
    names programs.tsv | run compare "$jobs"
    { about; python3 compare.py compare; } >"$results/results.tsv"
    [ "$results" = "$here" ] || cp left_out.tsv "$results"
    python3 compare.py summary "$results/results.tsv"
    ;;
check)
    names programs.tsv | run build "$jobs"
    echo "built after $SECONDS s"
    # Blocks share memory only where there are tiles: these are few, and come first. Then what can say most: of every eighth program
    # whether it reads what nothing wrote, of all what they access, and of the others the former.
    names programs.tsv tiled | run check "$jobs" racecheck
    names programs.tsv tiled | run check "$jobs" synccheck
    names programs.tsv | awk 'NR % 8 == 0' | run check "$jobs" initcheck
    names programs.tsv | run check "$jobs" memcheck
    names programs.tsv | run check "$jobs" initcheck
    { about; python3 compare.py check; } >"$results/check.tsv"
    python3 compare.py summary "$results/check.tsv"
    ;;
measure)
    names measured.programs.tsv | run build "$jobs"
    echo "built after $SECONDS s"
    names measured.programs.tsv | run measure 1
    { about; python3 compare.py measure; } >"$results/measured.tsv"
    python3 compare.py summary "$results/measured.tsv"
    ;;
esac
echo "ended after $SECONDS s"
