#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# parallel-merge.sh [-S LOGIN,...] OUT SCRIPT RECORDING...
#
# Reports each RECORDING under SCRIPT, as many at a time as there are CPUs, and adds the results
# up in OUT (json; hist merge OUT prints it as text). GNU parallel does the work: here, or on the
# machines that -S names as parallel's own -S does (":" is this one), reached by ssh, which must see
# this directory under the same path. It stops at the first recording that fails, and what was
# reported until then is kept, so that a second call with the same OUT goes on from there.
#
#	parallel-merge.sh all.json wakeup.script recordings/*.dat
#	parallel-merge.sh -S :,node1,node2 all.json wakeup.script recordings/*.dat
#
# HIST is the program, if it is not found as hist.
set -eu

logins=
while getopts S: option; do
	case $option in
	S) logins=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 3 ] || {
	echo "usage: $0 [-S LOGIN,...] OUT SCRIPT RECORDING..." >&2
	exit 2
}
out=$1
script=$2
shift 2
hist=${HIST:-hist}

# One result for each recording; with it a log of what is done.
parts=$out.parts
mkdir -p "$parts"

# --plain: none of the user's own defaults. -q: names may have blanks in them.
set -- "$@"
printf '%s\0' "$@" |
	parallel --plain --will-cite -0 -q --halt soon,fail=1 --joblog "$parts/log" --resume-failed \
		${logins:+--sshlogin "$logins" --workdir "$PWD"} \
		"$hist" report -q -j 1 -i {} "$script" --format json -o "$parts/{#}.json"

# A file appears when it is complete, so what is there can be added up.
find "$parts" -name '*.json' -print0 | "$hist" merge --files0-from - --format json -o "$out"
rm -r "$parts"
