#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# How long quotas of cgroups hold tasks back in a guest, from a recording, compared with the kernel's own
# numbers in cpu.stat. $QUOTA_KERNELS are the versions (default: newest), $QUOTA_LOADS the loads of quota-job (more of them:
# forty burst two short sleepers both deadline fifo), $QUOTA_VERSION is that of cgroups (default: 2).
# otherwise the time of cpu.stat is not that of the trace, because emulated CPUs are slow
export STEADY=1
. tests/kernel/lib.sh

: "${QUOTA_KERNELS:=newest}" "${QUOTA_LOADS:=alone beside four nested ice shared}" "${QUOTA_VERSION:=2}"
linked spin "$here/spin.c"

# stat FILE CGROUP NAME: a number of cpu.stat
stat_of()
{
	awk -v g="$2" -v n="$3" '$1 == g && $2 == n { print $3 }' "$out/$1"
}

# rows ARG...: the rows of a histogram, without commas
rows()
{
	"$HIST" report -q --unlimited --format csv "$@" | tail -n +2 | tr , ' '
}

# whether a load is among those
has_load()
{
	case " $QUOTA_LOADS " in *" $1 "*) ;; *) return 1 ;; esac
}

for version in $QUOTA_KERNELS; do
	kernel "$version"
	it "Linux $version: what derived:throttle has of each cgroup is in cpu.stat"
	printf 'version=%s\nloads="%s"\nevents=\n' "$QUOTA_VERSION" "$QUOTA_LOADS" >"$tmp/how"
	guest quota 2 "$tmp/spin" "$tmp/how" || continue
	for name in alone beside four nested forty burst two short sleepers both; do
		has_load $name || continue
		rows -i "$out/$name.dat" -e derived:throttle --by cgroup --sum quota_ns,periods >"$tmp/rows"
		for of in $(cut -d ' ' -f 1 "$out/$name.after" | sort -u | grep -v free); do
			us=$(($(stat_of $name.after $of throttled_usec) - $(stat_of $name.before $of throttled_usec)))
			n=$(($(stat_of $name.after $of nr_throttled) - $(stat_of $name.before $of nr_throttled)))
			checked awk -v g="/$of" -v us="$us" -v n="$n" '$1 == g { ns = $3; p = $4 }
				END { exit !(us * 0.99 - 20 <= ns / 1000 && ns / 1000 <= us * 1.01 + 20 && p == n) }' "$tmp/rows" ||
				{ echo "$name $of: $us us in $n periods" >>"$tmp/rows"; fail_file "of $name:" "$tmp/rows"; }
		done
	done

	it "Linux $version: a task alone on its CPU is held back as long as that without probes, too, and that is called deduced"
	for name in alone; do
		has_load $name || continue
		hist slim -i "$out/$name.dat" -e sched -e irq -o "$tmp/bare.dat"
		us=$(($(stat_of $name.after $name throttled_usec) - $(stat_of $name.before $name throttled_usec)))
		rows -i "$tmp/bare.dat" -e derived:delay -f 'culprit_comm == "quota, deduced"' --by reason --sum ns >"$tmp/rows"
		checked awk -v us="$us" '{ ns = $3 } END { exit !(us * 0.99 <= ns / 1000 && ns / 1000 <= us * 1.01) }' "$tmp/rows" ||
			{ echo "cpu.stat: $us us" >>"$tmp/rows"; fail_file 'deduced:' "$tmp/rows"; }
	done

	has_load shared && it "Linux $version: of two recordings at once the last one to end removes the probes" && for first in 3 8; do
		checked [ -e "$out/left.$first" ] || fail "no left.$first"
		checked [ ! -s "$out/left.$first" ] || fail_file 'left, or reported:' "$out/left.$first"
	done

	if has_load ice; then
		it "Linux $version: a task that was busy waits while its cgroup is frozen, for nobody else; one that slept does not"
		frozen=$(rows -i "$out/ice.dat" -e derived:freeze -f 'cgroup == "/ice"' --by cgroup --sum ns | cut -d ' ' -f 3)
		rows -i "$out/ice.dat" -e derived:delay -f 'reason == "frozen"' --by victim_comm,culprit_comm --sum ns >"$tmp/rows"
		# it is frozen a little later, when it would return to user space
		checked awk -v ns="$frozen" '$1 != "busy" || $2 != "/ice" || $3 != 2 || $4 > ns || $4 < ns * 0.9 { bad = 1 } END { exit bad || NR != 1 || !ns }' "$tmp/rows" ||
			{ echo "frozen for $frozen ns" >>"$tmp/rows"; fail_file 'frozen:' "$tmp/rows"; }
	fi

	has_load deadline && it "Linux $version: a deadline task whose budget is used up is held back, as deduced, for the rest of its time" && {
		rows -i "$out/deadline.dat" -e derived:delay -f 'victim_comm == "dl"' --by reason --sum ns >"$tmp/rows"
		# kernel: it gets its budget before it is moved to another CPU, which may be late in a guest
		"$HIST" events -q -i "$out/deadline.dat" -e sched_switch,sched_migrate_task,sched_waking --fields ts,event,prev_comm,prev_prio,prev_state,next_comm,event_comm,prio --format csv |
			awk -F, '$3 == "dl" && $4 < 0 && $5 % 256 == 0 || $2 ~ /waking/ && $7 == "dl" && $8 < 0 && !since { since = $1 }
				$2 ~ /migrate/ && $7 == "dl" && since { held += $1 - since; since = 0; moved = $1 }
				$6 == "dl" { if (since) held += $1 - since; if (moved) late += $1 - moved; since = moved = 0 } END { printf "%.0f %.0f\n", held, late }' >"$tmp/held"
		us=$(awk '$1 == "dl" { print $2 - $3 }' "$out/deadline.ran")
		checked awk -v us="$us" -v held="$(cut -d ' ' -f 1 "$tmp/held")" -v late="$(cut -d ' ' -f 2 "$tmp/held")" '
			$1 == "throttled" { ns = $3 } { all += $3 } END { exit !(held && held * 0.98 <= ns && ns <= (held + late) * 1.001 && all / 1000 <= us * 1.02) }' "$tmp/rows" ||
			{ echo "by its switches: $(cat "$tmp/held") ns; it did not run for $us us" >>"$tmp/rows"; fail_file 'by reason:' "$tmp/rows"; }
	}

	has_load fifo && it "Linux $version: real-time tasks are held back, as deduced, while others of lower classes run" && for name in rt rt2; do
		rows -i "$out/fifo.dat" -e derived:delay -f "victim_comm == \"$name\" && reason == throttled" --by culprit_comm --sum ns >"$tmp/rows"
		# others of its class or a higher one may run first
		"$HIST" events -q -i "$out/fifo.dat" -e sched_switch --fields ts,prev_comm,prev_prio,prev_state,next_comm,next_prio --format csv |
			awk -F, -v name=$name '$2 == name && $3 == 89 && $4 % 256 == 0 && $6 >= 100 { since = $1 } $5 == name && since { s += $1 - since; since = 0 }
				END { printf "%.0f\n", s }' >"$tmp/held"
		checked awk -v ns="$(cat "$tmp/held")" '/^"real-time  deduced" / { got = $NF } END { exit !(ns > 0 && got >= ns && got <= ns * 1.02 + 1e6) }' "$tmp/rows" ||
			{ echo "by its switches: $(cat "$tmp/held") ns" >>"$tmp/rows"; fail_file "of $name:" "$tmp/rows"; }
	done

	has_load beside || continue
	it "Linux $version: a task alone in its cgroup is held back as long as that, and no other task is blamed"
	rows -i "$out/beside.dat" -e derived:delay -f 'victim_comm == "one"' --by reason --sum ns >"$tmp/rows"
	us=$(($(stat_of beside.after alone throttled_usec) - $(stat_of beside.before alone throttled_usec)))
	checked awk -v us="$us" '$1 == "throttled" { ns = $3 } $1 == "task" { other = $3 }
		END { exit !(us * 0.99 <= ns / 1000 && ns / 1000 <= us * 1.01 && other < ns) }' "$tmp/rows" ||
		{ echo "cpu.stat: $us us" >>"$tmp/rows"; fail_file 'by reason:' "$tmp/rows"; }
done
done_testing
