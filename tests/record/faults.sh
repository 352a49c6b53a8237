# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Library of the tests that make system calls of hist record fail: . tests/record/faults.sh
#
# Each call that finishes a recording, and each call of --recover, fails in turn. Afterwards all
# events must be in the file, if necessary after a --recover without faults. If a run ends with
# status 0, all events must be there at once. A random selection of calls is tried to save time;
# FAULTS=N tries N of them, FAULTS=FROM-TO these, and FAULTS=all every call, which takes hours, with
# little work for the CPU; then all failures are reported, not only the first.
. tests/record/lib.sh

[ -z "${SANITIZE:-}${HIST_VALGRIND:-}" ] || skip_all 'the fault injector must be loaded first'
faults=$tmp.so
${CC:-cc} -shared -fPIC -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -o "$faults" tests/record/faults.c -ldl 2>/dev/null ||
	skip_all 'no C compiler'
go=$tmp/go
loops=12000

# The work takes a while, so that no data is on its way when the recording ends.
cat >"$tmp/work" <<END
#!/bin/sh
dd if=/dev/zero of=/dev/null bs=1 status=none count=$loops
sleep 0.1
: >"$go"
[ -z "\$1" ] || kill -KILL "\$PPID"
END
chmod +x "$tmp/work"

# seen: number of dd's reads in the file, or of its writes if that is smaller
seen()
{
	"$HIST" report -q -i "$dat" -e raw_syscalls:sys_enter -R 'hist:keys=id' 2>/dev/null |
		sed -n 's/.*hitcount: *\([0-9]*\)$/\1/p' | sort -n | tail -n 2 | head -n 1
}

# all_there MISSING: all are in the file except for MISSING
all_there()
{
	[ -e "$dat" ] && [ "$(seen)" -ge $((loops - $1)) ]
}

# faulty KIND AT STICKY ARG...: hist record ARG... with a fault; KIND none only counts calls
faulty()
{
	FAULT_KIND=$1 FAULT_AT=$2 FAULT_GO=$go FAULT_COUNT=$tmp/count
	export FAULT_KIND FAULT_AT FAULT_GO FAULT_COUNT
	[ "$3" = 0 ] || export FAULT_STICKY=1
	shift 3
	LD_PRELOAD=$faults timeout -k 5 "${RUN_TIMEOUT:-60}" "$HIST" record -o "$dat" "$@" >"$tmp.out" 2>"$tmp.err" 9<&-
	status=$?
	unset FAULT_KIND FAULT_AT FAULT_GO FAULT_COUNT FAULT_STICKY
}

clear_all()
{
	rm -rf "$tmp"/t.dat* "$tmp/count"
}

record_work()
{
	rm -f "$go"
	faulty "$1" "$2" "$3" -F -c -z "${codec:-none}" -b 2048 -e raw_syscalls:sys_enter "$tmp/work" "${4:-}"
}

# record_killed: as record_work, killed when everything has just been recorded, so that data is left
# in its instance, too; another recording would save it
record_killed()
{
	alone
	clear_all
	record_work none 0 0 killed
	ls -d "$dat".part.* >/dev/null 2>&1 || fail_file "the killed recording left nothing:" "$tmp.err"
}

recover_faulty()
{
	: >"$go"
	faulty "$1" "$2" "$3" --recover
}

# reported: the number of events that hist reported as lost; each has 68 bytes or more
reported()
{
	awk '/bytes of events were lost/ { sum += $3 / 68 } /events were left in the kernel/ { sum += $3 }
		/events of CPU [0-9]+ were lost$/ { sum += $3 }
		END { print int(sum) }' "$1"
}

# afterwards WHAT MISSING: all events are in the file, immediately if the status is 0, at least
# after --recover
afterwards()
{
	[ "$status" != 124 ] || fail_file "$1: does not end" "$tmp.err"
	if [ "$status" = 0 ] && ! all_there "$2"; then
		fail_file "$1: status 0, and $(seen) of $loops are in the file:" "$tmp.err"
	fi
	if ls -d "$dat".part.* >/dev/null 2>&1; then
		cp "$tmp.err" "$tmp/first"
		faulty none 0 0 --recover
		checked [ "$status" = 0 ] || fail_file "$1: cannot be recovered:" "$tmp.err"
		ls -d "$dat".part.* >/dev/null 2>&1 && fail_file "$1: still there:" "$tmp.err"
	else
		cp "$tmp.err" "$tmp/first"
	fi
	all_there $(($2 + $(reported "$tmp/first") + $(reported "$tmp.err"))) || {
		fail_file "$1: $(seen) of $loops are in the file; first:" "$tmp/first"
		fail_file 'then:' "$tmp.err"
	}
}

# calls N: choose the calls of N that have to fail
calls()
{
	case ${FAULTS:-2} in
	all) seq 1 "$1" ;;
	*-*) seq "${FAULTS%-*}" "$(awk -v a="${FAULTS#*-}" -v b="$1" 'BEGIN { print a < b ? a : b }')" ;;
	*) seq 1 "$1" | shuf -n "${FAULTS:-2}" | sort -n ;;
	esac
}

# each_of KIND STICKY MISSING record_work|recover_faulty [PREPARE]
each_of()
{
	alone
	clear_all
	${5:-:}
	$4 "$1" 0 0
	checked [ "$status" = 0 ] || fail_file "without a fault the status is $status:" "$tmp.err"
	n=$(cat "$tmp/count")
	checked [ "$n" -gt 5 ] || fail "only $n calls are seen"
	# the last one shows that all calls were covered
	for at in $(calls "$n") $((n + 20)); do
		not_alone # other tests may record between two calls
		alone
		clear_all
		${5:-:}
		$4 "$1" "$at" "$2"
		afterwards "$4 $1 at call $at of $n" "$3"
		[ ! -s "$tmp.why" ] || [ -n "${FAULTS:-}" ] || return 0
	done
}

# Keep a copy of the files of a killed recording after the kernel was cleaned up.
copy_left()
{
	cp -a "$tmp/left" "$dat.part.$left"
}

make_left()
{
	record_killed
	left=$(ls -d "$dat".part.*)
	left=${left##*.}
	"$HIST" record -q -o "$tmp/other.dat" -e sched:sched_process_exec true 9<&-
	cp -a "$dat.part.$left" "$tmp/left"
}
