#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Each recipe on recordings of other kernels and machines (tests/kernel/recordings made most): all that `hist
# recipe -i` lists for one of them shows what recipes.py computes from its text.
. tests/cli/lib.sh
. tests/cli/recipes_answers.sh

dir=tests/cli/recipes
: >"$tmp/compared"

# compared KERNEL RECIPE...: these are answered by a recording of KERNEL
compared()
{
	kernel=$1
	shift
	for recipe; do
		echo "$recipe $kernel"
	done >>"$tmp/compared"
}

for file in "$dir"/[0-9]*.dat; do
	kernel=${file##*/}
	kernel=${kernel%.dat}
	case $file in
	*-stacks.dat) recipes=off-cpu-stacks ;;
	*-functions.dat) recipes=function-count ;;
	*-graph.dat) recipes=function-time ;;
	*)
		# the oracle computes these (tests/answers)
		hist recipe -q -i "$file"
		recipes=$(awk '!NF { exit } $1 !~ /^(inversions|lock-inversions|scheduler|task-states)$/ { print $1 }' "$tmp.out")
		;;
	esac
	# shellcheck disable=SC2086 # several names
	answers "$file" $recipes
	# shellcheck disable=SC2086 # several names
	compared "${kernel%%-*}" $recipes
done

# recipes.t compares these
for file in tasks work marker net irqs; do
	hist recipe -q -i "$dir/$file.dat"
	# shellcheck disable=SC2046 # several names
	compared "$([ $file = irqs ] && echo 6.12.107 || echo 6.18)" $(awk '!NF { exit } $1 !~ /^(inversions|lock-inversions|scheduler|task-states)$/ { print $1 }' "$tmp.out")
done

it 'README has the table of what was compared on which kernels'
compared arm64 cpu-frequency-residency cpu-idle-residency on-cpu preemptions migrations
# code.t compares these
compared perf.data profile profile-by-thread
# derived.t compares the events of leaks, the oracle inversions, lock-inversions, scheduler and task-states,
# tracers.t timerlat, osnoise and hwlat, off_wake.t its stacks, and tests/kernel/quota.t throttling
compared written leaks inversions lock-inversions scheduler task-states
compared 6.12 timerlat osnoise osnoise-samples hwlat
compared recorded off-wake-stacks
compared 7.3 throttling
compared written function-count function-time cpu-frequency-residency cpu-idle-residency
sort -u "$tmp/compared" | sort -s -k 1,1 -k 2,2V | awk '{ s[$1] = s[$1] (s[$1] ? ", " : "") $2 }
	END { for (r in s) print "| " r " | " s[r] " |" }' | sort >"$tmp/table"
sed -n '/^| recipe/,$p' $dir/README.md | grep '^| [a-z]' | grep -v '^| recipe' | sort >"$tmp/readme"
holds diff "$tmp/table" "$tmp/readme"

it 'and all recipes are in it'
for file in share/hist/recipes/*.hist; do
	name=$(basename "$file" .hist)
	grep -q "^| $name |" "$tmp/readme" || fail "$name was compared on no recording"
	checked true
done
done_testing
