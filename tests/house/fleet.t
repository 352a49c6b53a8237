#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Many recordings on many machines: the examples for GNU parallel and Slurm, run with the real
# programs, have the result of one process that reads all files. Also a thousand results in any
# order.
. tests/cli/lib.sh

[ -f trace.dat-samples/switch.dat ] || skip_all 'no trace.dat-samples'
root=$PWD
case $HIST in
/*) ;;
*) HIST=$root/$HIST ;;
esac
export HIST

# Parts of a recording are recordings of the same machine: spans of switch.dat.
sample=$root/trace.dat-samples/switch.dat
cat >"$tmp/script" <<'E'
echo 'hist:keys=next_comm,next_pid:vals=prev_prio:sort=next_pid,next_comm' >> events/sched/sched_switch/trigger
echo 'hist:keys=id:sort=id' >> events/raw_syscalls/sys_enter/trigger
E

# rows FILE: the counts, without files and spans
rows()
{
	"$HIST" merge -q "$1"
}

it 'a thousand results in any order add up to the same result'
mkdir "$tmp/many"
# an instrumented program starts slowly
case ${SANITIZE:-} in
?*) count=100 ;;
*) count=1000 ;;
esac
awk -v n=$count 'BEGIN { for (i = 0; i < n; i++) printf "%.9f %.9f\n", i * 0.54633226 / n, (i + 1) * 0.54633226 / n - 0.000000001 }' >"$tmp/spans"
n=0
while read -r from to; do
	n=$((n + 1))
	"$HIST" report -q -j 1 -i "$sample" "$tmp/script" --from "+$from" --to "+$to" --format json -o "$tmp/many/$n.json" || fail "$n failed"
done <"$tmp/spans"
hist report -q -i "$sample" "$tmp/script" --format json
cp "$tmp.out" "$tmp/whole.json"
rows "$tmp/whole.json" >"$tmp/want"
for order in -n -rn -R; do
	find "$tmp/many" -name '*.json' | sed 's/.*[/]//' | sort $order | sed "s,^,$tmp/many/," | tr '\n' '\0' >"$tmp/names"
	long_run "$HIST" merge --files0-from "$tmp/names" --format json
	status_is 0
	cp "$tmp.out" "$tmp/sum$order.json"
	rows "$tmp/sum$order.json" >"$tmp/got"
	holds cmp "$tmp/want" "$tmp/got"
	holds cmp "$tmp/sum-n.json" "$tmp/sum$order.json"
done

# Recordings for the runners, one of them with a blank in its name.
mkdir "$tmp/fleet"
for i in 1 2 3 4 5; do
	cp "$sample" "$tmp/fleet/host $i.dat"
done
set --
for f in "$tmp"/fleet/*.dat; do
	set -- "$@" -i "$f"
done
hist report -q "$@" "$tmp/script" --format json
status_is 0
rows "$tmp.out" >"$tmp/want"

it 'events as Parquet partitions, and what DuckDB finds in all of them'
mkdir "$tmp/hosts"
n=0
while [ $n -lt 199 ]; do
	n=$((n + 1))
	cp "$root/trace.dat-samples/wakeup.dat" "$tmp/hosts/web $n.dat"
done
cp "$sample" "$tmp/hosts/db1.dat"
long_run "$root/examples/fleet/to-parquet.sh" "$tmp/lake" "$tmp"/hosts/*.dat
status_is 0
stderr_is ''
checked [ "$(find "$tmp/lake" -name derived.wait.parquet | wc -l)" = 200 ] || fail 'not 200 hosts'
echo no recording >"$tmp/hosts/bad.dat"
long_run "$root/examples/fleet/to-parquet.sh" "$tmp/lake" "$tmp"/hosts/*.dat
holds test "$status" != 0
holds test ! -e "$tmp/lake/host=bad"
rm "$tmp/hosts/bad.dat"
# the ten worst waits by csv and sort; the same by DuckDB
for f in "$tmp"/hosts/*.dat; do
	host=$(basename "$f" .dat)
	"$HIST" events -q -i "$f" -e derived:wait --format csv --fields ns,ts |
		awk -v h="$host" -F, 'NR > 1 { print $1 "\t" h "\t" $2 }'
done | sort -t'	' -k1,1nr -k2,2 -k3,3n | head -n 10 | cut -f1,2 >"$tmp/worst"
if [ -n "${PARQUET_READERS:-}" ] && have node; then
	run node "$root/tests/house/duckdb.mjs" "$PARQUET_READERS" "$tmp/lake" "$root/examples/fleet/waits.sql"
	status_is 0
	cp "$tmp.out" "$tmp/answers"
	awk -F'\t' 'p { print $4 "\t" $1 } $4 == "ns" { p = 1 }' "$tmp/answers" >"$tmp/got"
	holds cmp "$tmp/worst" "$tmp/got"
	# the command of the answer finds this wait
	ns=$(head -n 1 "$tmp/worst" | cut -f1)
	command=$(awk -F'\t' '$5 ~ /^hist why/ { print $5; exit }' "$tmp/answers")
	run sh -c "'$HIST' ${command#hist} -q --format json"
	stdout_has "\"ns\":$ns,"
else
	tap_note=' # without DuckDB'
fi

it 'GNU parallel, on this machine'
if have parallel && parallel --version 2>/dev/null | grep -q 'GNU parallel'; then
	cd "$tmp" || exit
	long_run "$root/examples/parallel-merge.sh" "$tmp/all.json" "$tmp/script" fleet/*.dat
	status_is 0
	rows "$tmp/all.json" >"$tmp/got"
	holds cmp "$tmp/want" "$tmp/got"
	holds test ! -e "$tmp/all.json.parts"
	echo no recording >fleet/bad.dat
	long_run "$root/examples/parallel-merge.sh" "$tmp/none.json" "$tmp/script" fleet/*.dat
	holds test "$status" != 0
	holds test ! -e "$tmp/none.json"
	rm fleet/bad.dat
	cd "$root" || exit
else
	skip 'no GNU parallel'
fi

# Two hosts, both of them this machine, by a private ssh daemon. If none can be started (installing
# the package would start one permanently), a substitute without a network is used.
start_sshd()
{
	have sshd || [ -x /usr/sbin/sshd ] || return
	have ssh ssh-keygen || return
	mkdir -p /run/sshd 2>/dev/null
	ssh-keygen -q -t ed25519 -N '' -f "$tmp/host_key" && ssh-keygen -q -t ed25519 -N '' -f "$tmp/key" || return
	cp "$tmp/key.pub" "$tmp/authorized"
	port=$((20000 + $$ % 20000))
	cat >"$tmp/sshd_config" <<E
Port $port
ListenAddress 127.0.0.1
HostKey $tmp/host_key
AuthorizedKeysFile $tmp/authorized
StrictModes no
PidFile none
PermitRootLogin yes
PasswordAuthentication no
MaxStartups 100
E
	cat >"$tmp/ssh_config" <<E
Host hista histb
	HostName 127.0.0.1
	Port $port
	IdentityFile $tmp/key
	StrictHostKeyChecking no
	UserKnownHostsFile /dev/null
	LogLevel ERROR
E
	"$(command -v sshd || echo /usr/sbin/sshd)" -D -f "$tmp/sshd_config" 2>"$tmp/sshd.log" &
	sshd=$!
	trap 'kill "$sshd" 2>/dev/null; rm -rf "$tmp" "$tmp".*' EXIT
	sleep 1
	timeout 20 ssh -F "$tmp/ssh_config" hista true 2>>"$tmp/sshd.log"
}

stand_in()
{
	cat >"$tmp/ssh" <<'E'
#!/bin/sh
# ssh OPTION... HOST COMMAND: with the environment of a login
while [ "${1#-}" != "$1" ]; do
	case $1 in
	-l | -p | -o | -F | -i) shift ;;
	esac
	shift
done
echo "$1" >>"$0.hosts"
shift
[ "$1" != -- ] || shift
exec env -i HOME=/ SHELL=/bin/sh USER="$(id -un)" PATH=/usr/local/bin:/usr/bin:/bin /bin/sh -c "$*"
E
	chmod +x "$tmp/ssh"
}

it 'GNU parallel, on several hosts by ssh'
if ! have parallel; then
	skip 'no GNU parallel'
else
	if start_sshd; then
		PARALLEL_SSH="ssh -F $tmp/ssh_config"
	else
		stand_in
		PARALLEL_SSH=$tmp/ssh
	fi
	export PARALLEL_SSH
	cd "$tmp" || exit
	long_run "$root/examples/parallel-merge.sh" -S hista,histb "$tmp/all.json" "$tmp/script" fleet/*.dat
	status_is 0
	rows "$tmp/all.json" >"$tmp/got"
	holds cmp "$tmp/want" "$tmp/got"
	[ ! -f "$tmp/ssh.hosts" ] || holds test "$(sort -u "$tmp/ssh.hosts" | tr '\n' ' ')" = 'hista histb '
	kill "${sshd:-}" 2>/dev/null
	cd "$root" || exit
fi

# A private Slurm with one node.
start_slurm()
{
	have slurmctld slurmd sbatch || PATH=$PATH:/usr/sbin have slurmctld slurmd sbatch || return
	PATH=$PATH:/usr/sbin
	[ "$(id -u)" = 0 ] || return
	node=$(hostname -s)
	port=$((20000 + ($$ + 7777) % 20000))
	mkdir "$tmp/state" "$tmp/spool"
	cat >"$tmp/slurm.conf" <<E
ClusterName=hist
SlurmctldHost=$node(127.0.0.1)
SlurmUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/spool
SlurmctldPidFile=$tmp/slurmctld.pid
SlurmdPidFile=$tmp/slurmd.pid
SlurmctldPort=$port
SlurmdPort=$((port + 1))
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,sched_min_interval=0
NodeName=$node NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
E
	export SLURM_CONF="$tmp/slurm.conf"
	slurmctld -D >"$tmp/slurmctld.log" 2>&1 &
	daemons=$!
	slurmd -D -N "$node" >"$tmp/slurmd.log" 2>&1 &
	daemons="$daemons $!"
	# shellcheck disable=SC2064 # these daemons
	trap "kill $daemons 2>/dev/null; sleep 1; rm -rf '$tmp' '$tmp'.*" EXIT
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		sinfo -h 2>/dev/null | grep -q idle && return
		sleep 0.5
	done
	return 1
}

# ended JOB: wait until it is gone from the queue
ended()
{
	for _ in $(seq 120); do
		[ -n "$(squeue -h -j "$1" -t PD,R,CG 2>/dev/null)" ] || return 0
		sleep 0.5
	done
	return 1
}

it 'Slurm: a job array and a job that depends on it'
if ! start_slurm; then
	skip 'no Slurm can be started here (slurmctld and slurmd, as root)'
else
	cd "$tmp" || exit
	TASKS=3 long_run "$root/examples/slurm-merge.sh" "$tmp/slurm.json" "$tmp/script" "$tmp"/fleet/*.dat
	status_is 0
	ended "$(cat "$tmp.out")" || fail 'the job does not end'
	if [ -f "$tmp/slurm.json" ]; then
		rows "$tmp/slurm.json" >"$tmp/got"
		holds cmp "$tmp/want" "$tmp/got"
	else
		cat "$tmp"/slurm.json.parts/*.log "$tmp/slurmctld.log" >"$tmp/log"
		fail_file 'no result:' "$tmp/log"
	fi
	cd "$root" || exit
fi
done_testing
