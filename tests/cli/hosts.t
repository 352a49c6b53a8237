#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist report --hosts: one answer for recordings of several machines, whose rows of each machine are those of its recording.
. tests/cli/lib.sh

make=${BUILD:-build}/bench/make_recording
[ -x "$make" ] || skip_all "no $make"
have python3 || skip_all 'no python3'
# a second before, half a second after the start of 2027
for i in a:0x18d99b3e88f4ca00:2000 b:0x18d99b3ebcf1ba00:1500 c:0x18d99b3ebcf1ba00:900; do
	wall=${i#*:}
	"$make" "$tmp/${i%%:*}.dat" "${i##*:}" sched zstd 7 2 - "${wall%:*}" || skip_all 'no recordings'
done

it 'answers as each recording does, with the key host'
cat >"$tmp/check.py" <<'END'
"""check.py HIST DIR: random questions; rows of a host, and what its recording alone answers."""
import csv, io, random, subprocess, sys
hist, dir = sys.argv[1:]
random.seed(5)

def rows(*words):
    out = subprocess.run([hist, "report", "-q", *words, "--format", "csv"], capture_output=True, text=True)
    assert not out.returncode, (words, out.stderr)
    return list(csv.DictReader(io.StringIO(out.stdout)))

questions = [("wakeup-latency",), ("run-queue-wait",), ("on-cpu",)]
for _ in range(40):
    event, keys, sums = random.choice((
        ("sched_switch", ["next_comm", "next_prio", "prev_pid.log2", "common_pid", "next_prio.buckets=4", "cpu"], ["next_prio", "prev_prio"]),
        ("sched_wakeup", ["comm", "prio", "target_cpu", "pid.log2"], ["prio"]),
        ("derived:wait", ["comm", "kind", "ns.log2", "cpu", "reason"], ["ns"])))
    q = ["-e", event, "--by", ",".join(random.sample(keys, random.randint(1, 2)))]
    if random.random() < .5:
        q += ["--sum", random.choice(sums)]
        if random.random() < .5:
            q += ["--stats"]
    if random.random() < .3:
        q += ["-f", {"sched_switch": "next_prio > 105", "sched_wakeup": "prio < 110", "derived:wait": "ns > 50us"}[event]]
    questions.append(tuple(q))
compared = 0
for q in questions:
    if "--stats" in q:
        q += ("--sort", "p99")
    args = [x for f in "abc" for x in ("-i", f"{dir}/{f}.dat")]
    together = rows("--hosts", *args, *q, "--show", "1")
    for f in "abc":
        alone = rows("-i", f"{dir}/{f}.dat", *q, "--show", "1")
        mine = [{k: v for k, v in r.items() if k != "host"} for r in together if r["host"] == f + ".dat"]
        order = lambda r: sorted(r.items())
        assert sorted(mine, key=order) == sorted(alone, key=order), (q, f, mine[:2], alone[:2])
        compared += len(alone)
assert compared > 500, compared
END
run python3 "$tmp/check.py" "$HIST" "$tmp"
status_is 0
stderr_is ''

it 'notes what is known of the time of day, and which machine a message is about'
hist report --hosts -i "$tmp/a.dat" -i "$tmp/b.dat" -e derived:wait --by kind
status_is 0
stderr_has 'a.dat, a.dat: times of day as trace-cmd --date stores them'
stderr_has 'note: b.dat: sched:sched_waking was not recorded'
stdout_has '^new  *a.dat|^woken  *a.dat'
stdout_has '^woken  *b.dat'
hist report --hosts -i trace.dat-samples/wakeup.dat -i trace.dat-samples/kmalloc.dat -e sched_switch --by next_comm
stderr_has 'wakeup.dat, .*: the time of day is unknown'

it 'names machines by their paths if their files are called alike'
mkdir "$tmp/d"
cp "$tmp/c.dat" "$tmp/d/a.dat"
hist report -q --hosts -i "$tmp/a.dat" -i "$tmp/d/a.dat" -i "$tmp/b.dat" -e sched_switch --by cpu --format csv
holds test "$(cut -d, -f2 "$tmp.out" | sed 1d | sort -u | tr '\n' ' ')" = "$tmp/a.dat $tmp/d/a.dat b.dat "
hist events -q --hosts -i "$tmp/a.dat" -i "$tmp/d/a.dat" -i "$tmp/b.dat" --format csv
holds test "$(cut -d, -f2 "$tmp.out" | sed 1d | sort -u | tr '\n' ' ')" = "$tmp/a.dat $tmp/d/a.dat b.dat "

it 'a place in a wrong question is shown'
hist report --hosts -i "$tmp/a.dat" -i "$tmp/b.dat" -e sched_switch --by next_com
status_is 1
stderr_has '\^'
stderr_has 'next_comm'

it 'refuses what is of one machine, a recording twice, and an input as the output'
hist report --hosts -i "$tmp/a.dat" -i "$tmp/b.dat" -e sched_switch --by next_comm --interval 1ms
status_is 2
stderr_has '--hosts answers a question'
hist report --hosts -i "$tmp/a.dat" -i "$tmp/../${tmp##*/}/a.dat" -e sched_switch --by next_comm
status_is 2
stderr_has 'are the same recording'
cp "$tmp/b.dat" "$tmp/before.dat"
hist report --hosts -i "$tmp/a.dat" -i "$tmp/b.dat" -e sched_switch --by next_comm -o "$tmp/b.dat"
status_is 2
stderr_has 'is an input of this command'
holds cmp "$tmp/b.dat" "$tmp/before.dat"

it 'has tables of all machines in SQL, as of each alone, also where one has other events and fields'
for i in s:0x18d99b3e88f4ca00:200 t:0x18d99b3ebcf1ba00:150; do
	wall=${i#*:}
	"$make" "$tmp/${i%%:*}.dat" "${i##*:}" sched none 7 2 - "${wall%:*}" || skip_all 'no recordings'
done
run python3 tests/cli/sql_hosts.py "$HIST" 1 25 "$tmp/s.dat" trace.dat-samples/kmalloc.dat "$tmp/t.dat"
status_is 0
stderr_is ''
"$make" "$tmp/w.dat" 3000 wakeup none
"$make" "$tmp/p.dat" 3000 sched none 7 8
for sign in '' +; do
	hist sql -q --hosts -i "$tmp/w.dat" -i "$tmp/p.dat" --format csv \
		"SELECT count(*) FROM wait WHERE ${sign}host = 'p.dat' OR ${sign}comm = 'cc1' UNION ALL SELECT count(*) FROM wait WHERE ${sign}host = 'p.dat' OR ${sign}cpu = 0"
	status_is 0
	mv "$tmp.out" "$tmp/rows$sign"
done
checked cmp -s "$tmp/rows" "$tmp/rows+" || fail 'rows that OR selects by two scans are not those of one'
hist sql --hosts -i "$tmp/a.dat" -i "$tmp/b.dat" --format csv 'SELECT count(*) FROM sched_waking' 'SELECT host, count(*) FROM wakeup_latency GROUP BY 1'
stderr_has 'a.dat, a.dat: times of day as trace-cmd --date stores them'
stderr_has 'note: b.dat: sched:sched_waking was not recorded'
stdout_has '^a.dat,[1-9]'
stdout_has '^b.dat,[1-9]'
hist sql -q --hosts -i "$tmp/a.dat" -i "$tmp/b.dat" -S wakeup-latency --format csv 'SELECT host, count(*) FROM tasks GROUP BY 1'
stdout_has '^b.dat,[1-9]'

it 'names --hosts where machines differ'
hist report -i trace.dat-samples/wakeup.dat -i trace.dat-samples/switch.dat -e sched_switch --by next_comm
status_is 2
stderr_has 'hist report --hosts answers for each of them'

it 'warns of one machine at two times that are not of one boot'
for i in x:1790000000 y:1790000000 z:1790000872; do
	"$make" "$tmp/plain.dat" 50 sched none || skip_all 'no recordings'
	python3 tests/cli/add_options.py any "$tmp/plain.dat" "$tmp/named.dat" 5 'Linux web 6.1.0 x86_64'
	python3 tests/cli/add_options.py any "$tmp/named.dat" "$tmp/${i%:*}.dat" 0x4857 "1000 ${i#*:}000000000 500"
done
hist report -i "$tmp/x.dat" -i "$tmp/z.dat" -e sched_switch --by next_comm
status_is 0
stderr_has 'x.dat and .*z.dat are taken as one timeline, but between their clocks and the time of day are 872 s more or less: .*: use --hosts'
hist report -i "$tmp/x.dat" -i "$tmp/y.dat" -e sched_switch --by next_comm
stderr_lacks 'time of day'
hist report --hosts -i "$tmp/x.dat" -i "$tmp/z.dat" -e sched_switch --by cpu
stderr_lacks 'taken as one'
stderr_has 'z.dat, z.dat: 2026-09-21 .* UTC at 0.000001 s, up to 1 us wrong'

done_testing
