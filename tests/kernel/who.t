#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Processes and cgroups in a guest, compared with what the workload (who.c) tells of itself: three
# processes of four threads in three cgroups, one of which moves, and processes whose ids are used
# several times.
#
# $WHO_KERNELS are the versions (default: newest). $LIVES processes have the ids up to 320, and then
# again those from 300 on.
. tests/kernel/lib.sh

: "${WHO_KERNELS:=newest}" "${LIVES:=700}"
linked who "$here/who.c" -lpthread
mkdir "$tmp/files"
echo "$LIVES" >"$tmp/files/lives"

# rows ARG...: the rows of a histogram, without commas
rows()
{
	"$HIST" report -q --unlimited --format csv "$@" | tail -n +2 | tr , ' ' | sort
}

# told FILE FIELD: the sum of "PID N" of FILE by the field of the lines of the workload, sorted
told()
{
	awk -v f="$2" 'NR == FNR { of[$1] = $f; next } $1 in of { n[of[$1]] += $2 } END { for (i in n) print i, n[i] }' \
		"$out/groups" "$1" | sort
}

for version in $WHO_KERNELS; do
	kernel "$version"
	it "Linux $version: rows by process and cgroup are those of the workload"
	guest who 1 "$tmp/who" "$tmp/files/lives" || continue
	"$HIST" list -i "$out/groups.dat" | checked grep -q 'tasks, complete' || fail 'the journal is incomplete'
	# of each thread of group G: 2 * (10 * NUMBER + G) calls, half of those of the third one in /one
	rows -i "$out/groups.dat" -e sys_enter_getpgid --by cgroup >"$tmp/rows"
	printf '%s\n' '/one 308' '/three 108' '/two 208' | checked cmp -s - "$tmp/rows" || fail_file 'by cgroup:' "$tmp/rows"
	rows -i "$out/groups.dat" -e sys_enter_getpgid --by process | sed 's/-[0-9]* / /' >"$tmp/rows"
	printf '%s\n' 'alpha-0 200' 'alpha-1 208' 'alpha-2 216' | checked cmp -s - "$tmp/rows" || fail_file 'by process:' "$tmp/rows"
	# the scheduler's events about these threads
	for event in sched_waking:pid sched_switch:next_pid; do
		pid=${event#*:}
		rows -i "$out/groups.dat" -e "${event%:*}" --by "$pid" >"$tmp/pids"
		told "$tmp/pids" 2 >"$tmp/want"
		rows -i "$out/groups.dat" -e "${event%:*}" --by "$pid.process" | sed 's/^.*-\([0-9]*\) /\1 /' >"$tmp/all"
		# also while the processes had their first name
		awk 'NR == FNR { is[$1]; next } $1 in is { n[$1] += $2 } END { for (i in n) print i, n[i] }' \
			"$tmp/want" "$tmp/all" | sort >"$tmp/rows"
		checked cmp -s "$tmp/want" "$tmp/rows" || fail_file "$event by process:" "$tmp/rows"
	done
	# the recipe is about the task that waited
	rows -i "$out/groups.dat" wakeup-latency --by pid >"$tmp/pids"
	told "$tmp/pids" 2 >"$tmp/want"
	rows -i "$out/groups.dat" wakeup-latency --by process,cgroup >"$tmp/all"
	sed 's/^.*-\([0-9]*\) [^ ]* /\1 /' "$tmp/all" |
		awk 'NR == FNR { is[$1]; next } $1 in is { n[$1] += $2 } END { for (i in n) print i, n[i] }' \
			"$tmp/want" - | sort >"$tmp/rows"
	checked cmp -s "$tmp/want" "$tmp/rows" || fail_file 'wakeup-latency by process:' "$tmp/rows"
	sed -n 's/^\(alpha-[0-9]\)-[0-9]* \([^ ]*\) .*/\1 \2/p' "$tmp/all" >"$tmp/rows"
	printf '%s\n' 'alpha-0 /one' 'alpha-1 /two' 'alpha-2 /one' 'alpha-2 /three' | checked cmp -s - "$tmp/rows" ||
		fail_file 'wakeup-latency by cgroup:' "$tmp/all"

	it "Linux $version: no row mixes two tasks with one id"
	rows -i "$out/lives.dat" -e sys_enter_getpgid --by process,cgroup,pid >"$tmp/rows"
	# the parameter is 1 << 30 | number << 2 | cgroup
	awk '{ n = int(($3 - 1073741824) / 4); split("/one /two /three", dir, " ")
		calls += $4; pid = $1; sub(/.*-/, "", pid); lives[pid]++
		if ($1 != "life-" n "-" pid || $2 != dir[n % 3 + 1] || $4 != n % 2 + 1) { print; wrong++ }
	} END { for (p in lives) reused += lives[p] > 1; print calls + 0, NR, wrong + 0, reused + 0 }' "$tmp/rows" >"$tmp/lives"
	read -r calls n wrong reused <<-END
		$(tail -n 1 "$tmp/lives")
	END
	{ checked [ "$wrong" = 0 ] && [ "$n" = "$LIVES" ] && [ "$calls" = $((LIVES + LIVES / 2)) ] && [ "$reused" -ge 10 ]; } ||
		fail_file 'calls, rows, wrong ones, and ids that were used again:' "$tmp/lives"
done
done_testing
