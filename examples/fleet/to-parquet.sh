#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# to-parquet.sh LAKE RECORDING...
#
# Writes the events of each RECORDING, HOST.dat, as Parquet to LAKE/host=HOST/, as many at a time as
# there are CPUs: one file for each event, with columns for the host, the kernel and the recording.
# What is there is kept, so that a second call adds the new recordings. EVENTS are the events;
# the default is derived:wait, how long tasks wait for a CPU. waits.sql asks all of them.
#
#	EVENTS='derived:wait sched_switch' to-parquet.sh lake recordings/*.dat
#	duckdb -c "SET VARIABLE lake = 'lake'" -f waits.sql
#
# On other machines, run it there and copy LAKE, or let GNU parallel or Slurm do so, as in
# parallel-merge.sh and slurm-merge.sh. HIST is the program, if it is not found as hist.
set -eu

[ $# -ge 2 ] || {
	echo "usage: $0 LAKE RECORDING..." >&2
	exit 2
}
lake=$1
shift
mkdir -p "$lake"
export lake

# shellcheck disable=SC2016 # of that shell
one='
set -eu
hist=${HIST:-hist}
host=$(basename "$1" .dat)
[ ! -d "$lake/host=$host" ] || exit 0
kernel=$("$hist" list -i "$1" | sed -n "s/^  machine  *[^ ]* [^ ]* \([^ ]*\) .*/\1/p")
set -- "$1" ${EVENTS:-derived:wait}
file=$1
shift
for event; do
	set -- "$@" -e "$event"
	shift
done
# a directory that is not complete has another name
rm -rf "$lake/.part.$host"
"$hist" events -q -j 1 -i "$file" "$@" --format parquet --label "kernel=$kernel" --label "file=$file" -o "$lake/.part.$host"
mv "$lake/.part.$host" "$lake/host=$host"
'
printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" sh -c "$one" sh
