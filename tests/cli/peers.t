#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# `make bench` compares the rows of other programs with those of hist before it measures them.
. tests/cli/lib.sh

[ "${EMULATED:-}" != s390x ] || skip_all 'the loop reads records in the byte order of this machine'

export BENCH_EVENTS=20000 BENCH_ROUNDS=1 BENCH_DIR="$tmp/data" BENCH_CASES='peers|perf sched'
unset BENCH_FIFO
# nothing is installed
export BENCH_DUCKDB=

peers()
{
	HIST=$HIST tests/bench/peers >"$tmp.out" 2>"$tmp.err"
	status=$?
}

it 'prints the times of programs with the same rows'
peers
status_is 0
stdout_has '^[|] libtracecmd loop [|] 1 [|]'
stdout_has '^[|] libtracecmd loop, a hash table with the same rows [|] 1 [|]'
stdout_has '^skipped: DuckDB: .*BENCH_DUCKDB names'

it 'fails if the rows differ'
mkdir -p "$tmp/build/bench"
ln -s "$PWD/$BUILD/bench/make_recording" "$PWD/$BUILD/bench/to_perf" "$tmp/build/bench"
printf '#!/bin/sh\nprintf "1\\t1\\n"\n' >"$tmp/build/bench/loop"
chmod +x "$tmp/build/bench/loop"
BENCH_CASES=peers BUILD=$tmp/build peers
status_is 1
stderr_has '^failed: One key: switches by task: libtracecmd loop has another result'
stdout_lacks '^[|] libtracecmd loop [|]'

done_testing
