#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# slurm-merge.sh OUT SCRIPT RECORDING...
#
# Submits to Slurm a job array that reports each RECORDING under SCRIPT, and a job that adds the
# results up in OUT (json) when all have succeeded. Prints the number of the second job; if a
# recording fails it never starts, and OUT.parts contains the reason. All files are on storage that
# the nodes
# share with this machine.
#
#	slurm-merge.sh all.json wakeup.script recordings/*.dat
#	SBATCH_PARTITION=night slurm-merge.sh ...	(as for any sbatch)
#
# HIST is the program, if it is not found as hist; TASKS how large the array is at most.
set -eu

[ $# -ge 3 ] || {
	echo "usage: $0 OUT SCRIPT RECORDING..." >&2
	exit 2
}
out=$1
script=$2
shift 2
: "${HIST:=hist}" "${TASKS:=500}"
parts=$out.parts
mkdir "$parts"

# A recording a line; each task takes every TASKS-th.
printf '%s\n' "$@" >"$parts/recordings"
[ $# -gt "$TASKS" ] || TASKS=$#

export HIST TASKS
export HIST_OUT="$out" HIST_SCRIPT="$script" HIST_PARTS="$parts"

array=$(sbatch --parsable --job-name=hist-report --array="1-$TASKS" --output="$parts/%a.log" <<'EOF'
#!/bin/sh
set -eu
n=0
while IFS= read -r recording; do
	n=$((n + 1))
	[ $((n % TASKS)) = $((SLURM_ARRAY_TASK_ID % TASKS)) ] || continue
	"$HIST" report -q -j 1 -i "$recording" "$HIST_SCRIPT" --format json -o "$HIST_PARTS/$n.json"
done <"$HIST_PARTS/recordings"
EOF
)

sbatch --parsable --job-name=hist-merge --dependency="afterok:${array%%;*}" --kill-on-invalid-dep=yes \
	--output="$parts/merge.log" <<'EOF'
#!/bin/sh
set -eu
find "$HIST_PARTS" -name '*.json' -print0 | "$HIST" merge --files0-from - --format json -o "$HIST_OUT"
EOF
