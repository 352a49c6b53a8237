#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Plugins: where they are found, what they may add, and the messages for broken ones.
. tests/cli/lib.sh

have gcc || skip_all 'no gcc'
plugins=${BUILD:-build}/plugins
[ -d "$plugins" ] || skip_all "no $plugins"
HIST_PLUGIN_DIR=$plugins
export HIST_PLUGIN_DIR

syscalls='-i trace.dat-samples/syscalls.dat -e sys_exit'

# report ARG...: a report on system calls
report()
{
	# shellcheck disable=SC2086 # options
	hist report $syscalls "$@"
}

# plugin NAME: compiles a plugin from the C text on stdin, after a common prologue
plugin()
{
	{
		cat <<'END'
#include <string.h>
#include "hist-plugin.h"
static int print_rows(const struct hist_plugin_histogram *h, const struct hist_plugin_out *out)
{
	(void)h;
	return out->write(out, "printed\n", 8);
}
static size_t render(uint64_t v, int s, char *buf, size_t n)
{
	(void)v, (void)s, (void)n;
	memcpy(buf, "name", 4);
	return 4;
}
END
		cat
	} >"$tmp/$1.c"
	# shellcheck disable=SC2086 # the compiler may be several words, as may be flags
	${CC:-gcc} -Wall -shared -fPIC -Iplugins ${SANITIZE:-} -o "$tmp/$1.so" "$tmp/$1.c" 2>"$tmp/gcc.err" ||
		fail_file "$1.c:" "$tmp/gcc.err"
}

# broken NAME WHAT: the plugin whose members are on stdin is rejected with the message WHAT
broken()
{
	plugin "$1"
	report -R 'hist:keys=id' --plugin "$tmp/$1.so"
	status_is 2
	stdout_is ''
	stderr_has "error: .*$1.so.*$2"
}

# --- formats ---

it 'finds a format in the directory HIST_PLUGIN_DIR'
report -R 'hist:keys=ret:sort=ret if ret < 0' --format folded
status_is 0
stderr_is ''
stdout_has '^ret:-2 [0-9]+$'

it 'loads a format from a file'
HIST_PLUGIN_DIR=$tmp report -R 'hist:keys=ret if ret < 0' --plugin "$plugins/folded.so" --format folded
status_is 0
stdout_has '^ret:-2 [0-9]+$'

it 'loads nothing unless requested'
HIST_PLUGIN_DIR=/nonexistent report -R 'hist:keys=id'
status_is 0
stderr_is ''

it 'ignores a directory that does not exist'
HIST_PLUGIN_DIR=/nonexistent report -R 'hist:keys=id' --format folded
status_is 2
stderr_has '/nonexistent: No such file'

it 'finds the plugins that make built, next to the program'
# shellcheck disable=SC2086 # options
run env -u HIST_PLUGIN_DIR "$HIST" report $syscalls -R 'hist:keys=ret' --format folded
status_is 0
stdout_has '^ret:.* [0-9]'
# a program elsewhere, without plugins of its own
cp "$HIST" "$tmp/alone"
# shellcheck disable=SC2086 # options
run env -u HIST_PLUGIN_DIR "$tmp/alone" report $syscalls -R 'hist:keys=ret' --format nix
status_is 2
stderr_has '^hist: error: unknown format nix; known: text, '

it 'an unknown format: lists those of plugins, too'
report -R 'hist:keys=id' --format nix
status_is 2
stderr_has 'unknown format nix; known: text, hist, json, .*folded, speedscope, openmetrics'

it 'works with -o and --show'
report -R 'hist:keys=id' --format folded -o "$tmp/out" --show sys_exit
status_is 0
stdout_is ''
holds grep -q '^id:' "$tmp/out"

it 'prints only one histogram'
hist report -i trace.dat-samples/switch.dat -e sched_switch -R 'hist:keys=next_pid' -e sched_waking \
	-R 'hist:keys=pid' --format folded
status_is 0
stderr_has 'note: folded shows the first table of the answer, --show N another one: sched:sched_switch \(1\), sched:sched_waking \(1\)'

it 'folded: the outermost function first, without its offset, after the other keys'
hist report -i trace.dat-samples/stacks.dat -e sched_process_fork -R 'hist:keys=common_stacktrace' --format folded
status_is 0
stdout_has '^entry_SYSCALL_64_after_hwframe;do_syscall_64;__do_sys_clone 40$'
hist report -i trace.dat-samples/stacks.dat -e sched_process_fork \
	-R 'hist:keys=common_stacktrace,parent_comm,common_pid.execname' --format folded
stdout_has '^[^;]+;[^;]+;entry_SYSCALL_64_after_hwframe;do_syscall_64;__do_sys_clone [0-9]+$'

it 'speedscope: a profile with the stacks of folded'
hist report -i trace.dat-samples/stacks.dat -e sched_process_fork \
	-R 'hist:keys=common_stacktrace,parent_comm' --format folded -o "$tmp/folded"
hist report -i trace.dat-samples/stacks.dat -e sched_process_fork \
	-R 'hist:keys=common_stacktrace,parent_comm' --format speedscope
status_is 0
python3 - "$tmp/folded" "$tmp.out" <<'END' >"$tmp/verdict" 2>&1 || fail_file 'stacks differ:' "$tmp/verdict"
import json, sys
speedscope = json.load(open(sys.argv[2]))
profile, = speedscope["profiles"]
names = [frame["name"] for frame in speedscope["shared"]["frames"]]
assert len(set(names)) == len(names)
lines = [";".join(names[i] for i in sample) + f" {weight}\n"
         for sample, weight in zip(profile["samples"], profile["weights"], strict=True)]
assert lines == list(open(sys.argv[1]))
assert profile["type"] == "sampled" and profile["endValue"] == sum(profile["weights"]) > 0
assert speedscope["$schema"] == "https://www.speedscope.app/file-format-schema.json"
END

it 'folded: the number is the sort value'
hist report -i trace.dat-samples/kmalloc.dat -e kmalloc -R 'hist:keys=call_site.sym:vals=bytes_req' --format json
status_is 0
cp "$tmp.out" "$tmp/json"
hist report -i trace.dat-samples/kmalloc.dat -e kmalloc -R 'hist:keys=call_site.sym:vals=bytes_req:sort=bytes_req' --format folded
status_is 0
python3 - "$tmp/json" "$tmp.out" <<'END' >"$tmp/verdict" 2>&1 || fail_file 'sums differ:' "$tmp/verdict"
import json, sys
table = json.load(open(sys.argv[1]))
want = sorted((r['text']['call_site'], r['val']['bytes_req']) for r in table['data'])
got = sorted((l.rsplit(' ', 1)[0], int(l.rsplit(' ', 1)[1])) for l in open(sys.argv[2]))
assert want == got, (want[:3], got[:3])
END

# --- openmetrics ---

python=$(for p in python3 /usr/bin/python3; do
	"$p" -c 'import prometheus_client.openmetrics.parser' 2>/dev/null && echo "$p" && break
done)

# openmetrics ARG...: checks that the report is valid; $tmp/metrics has lines NAME{LABELS} VALUE,
# sorted
openmetrics()
{
	hist report "$@" --format openmetrics
	status_is 0
	[ -z "$python" ] || "$python" - "$tmp.out" >"$tmp/metrics" 2>"$tmp/verdict" <<'END' || fail_file 'not valid:' "$tmp/verdict"
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
for family in parse(open(sys.argv[1]).read()):
    for s in family.samples:
        labels = ','.join('%s=%s' % i for i in sorted(s.labels.items()))
        print('%s{%s} %.1f' % (s.name, labels, s.value))
END
}

it 'openmetrics: numbers and names are separate labels'
openmetrics -i trace.dat-samples/syscalls.dat -e sys_enter -R 'hist:keys=id.syscall,common_pid.execname'
if [ -n "$python" ]; then
	grep hitcount_total "$tmp/metrics" | sort >"$tmp/got"
	hist report -i trace.dat-samples/syscalls.dat -e sys_enter -R 'hist:keys=id.syscall,common_pid.execname' --format json
	"$python" - "$tmp.out" >"$tmp/want" <<'END'
import json, sys
table = json.load(open(sys.argv[1]))
for r in table['data']:
    print('hist_raw_syscalls_sys_enter_hitcount_total{common_pid=%d,common_pid_text=%s,id=%d,id_text=%s} %.1f' % (
        r['key']['common_pid'], r['text']['common_pid'], r['key']['id'], r['text']['id'], r['val']['hitcount']))
END
	sort -o "$tmp/want" "$tmp/want"
	holds diff "$tmp/want" "$tmp/got"
else
	skip 'no python3-prometheus-client'
fi

it 'openmetrics: a range is a histogram, a value with the same name is the sum'
openmetrics -i trace.dat-samples/kmalloc.dat -e kmalloc -R 'hist:keys=bytes_req.log2:vals=bytes_req,bytes_alloc'
stdout_has '^hist_kmem_kmalloc_bytes_req_bucket\{le="4096.0"\} [0-9]+$'
total=$(sed -n 's/^hist_hits_total //p' "$tmp.out")
stdout_has "^hist_kmem_kmalloc_bytes_req_bucket\{le=\"\+Inf\"\} $total\$"
stdout_has "^hist_kmem_kmalloc_bytes_req_count\{\} $total\$"
stdout_has '^hist_kmem_kmalloc_bytes_alloc\{bytes_req="33-64"\} [0-9]+$'
stdout_has '^# EOF$'

it 'openmetrics: ranges with other keys; signed values; saved fields; conflicting names'
openmetrics -i trace.dat-samples/wakeup.dat -e sched_waking -R 'hist:keys=prio.log2,comm:vals=prio'
stdout_has '^hist_sched_sched_waking_prio_bucket\{comm="cat",le="128.0"\} [0-9]+$'
stdout_has '^hist_sched_sched_waking_prio_value\{prio="65-128",comm="cat"\} [0-9]+$'
openmetrics -i trace.dat-samples/wakeup.dat -e sched_waking -R 'hist:keys=prio.buckets=10,pid.log2'
stdout_has 'hitcount_total\{prio="120-129",pid="[0-9]+-[0-9]+"\} [0-9]+$'
openmetrics -i trace.dat-samples/wakeup.dat -e sched_waking -R 'hist:keys=comm:m=prio:onmax($m).save(pid,comm)'
stdout_has '^hist_sched_sched_waking_saved_max\{comm="cat"\} [0-9]+$'
openmetrics -i trace.dat-samples/stacks.dat -e sched_process_fork -R 'hist:keys=common_stacktrace'
openmetrics -i trace.dat-samples/syscalls.dat -e sys_exit -R 'hist:keys=ret:vals=ret'
stdout_has '\{ret="-2"\} -[0-9]+$'

it 'openmetrics, prometheus: quantiles and the largest value of each row, with --stats'
openmetrics -q -i trace.dat-samples/wakeup.dat -e derived:wait --by comm --sum ns --stats
cp "$tmp.out" "$tmp/om"
hist report -q -i trace.dat-samples/wakeup.dat -e derived:wait --by comm --sum ns --stats --format prometheus
cp "$tmp.out" "$tmp/prom"
have promtool && { run promtool check metrics <"$tmp/prom"; status_is 0; stderr_is ''; }
hist report -q -i trace.dat-samples/wakeup.dat -e derived:wait --by comm --sum ns --stats --format json
cp "$tmp.out" "$tmp/json"
cat >"$tmp/quantiles.py" <<'END'
import json, re, sys
want = {}
for row in json.load(open(sys.argv[1]))["data"]:
    stats, comm = row["stats"]["ns"], row["key"]["comm"]
    for quantile, name in ("0.5", "p50"), ("0.9", "p90"), ("0.99", "p99"), ("0.999", "p99.9"):
        want["each", comm, quantile] = stats[name]
    want["largest", comm, None] = stats["max"]
assert len(want) > 10
for file, unit, per in (sys.argv[2], "ns", 1), (sys.argv[3], "seconds", 10**9):
    got = {}
    for line in open(file):
        m = re.match(r'hist_derived_wait_(each|largest)_%s\{comm="([^"]*)"(?:,quantile="([0-9.]+)")?\} (\S+)$' % unit, line)
        if m:
            got[m[1], m[2], m[3]] = round(float(m[4]) * per)
    assert got == want, (file, set(got.items()) ^ set(want.items()))
assert open(sys.argv[3]).read().count("TYPE hist_derived_wait_each_seconds summary") == 1
END
run python3 "$tmp/quantiles.py" "$tmp/json" "$tmp/om" "$tmp/prom"
status_is 0
[ "$status" = 0 ] || fail_file 'quantiles.py:' "$tmp.err"
openmetrics -q -i trace.dat-samples/syscalls.dat -e sys_exit -R 'hist:keys=id:vals=ret' --stats

it 'openmetrics: quotes, backslashes, newlines and invalid UTF-8'
plugin odd <<'END'
static size_t odd(uint64_t v, int s, char *buf, size_t n)
{
	static const char text[] = "a\\b\"c\nd\xff\xc3\xa9\xed\xa0\x80";

	(void)v, (void)s, (void)n, (void)print_rows, (void)render;
	memcpy(buf, text, sizeof(text) - 1);
	return sizeof(text) - 1;
}
static const struct hist_plugin_modifier modifiers[] = { { "odd", "x", odd } };
const struct hist_plugin hist_plugin = { HIST_PLUGIN_ABI, "odd", 0, 0, modifiers, 1 };
END
openmetrics -i trace.dat-samples/syscalls.dat -e sys_exit -R 'hist:keys=ret if ret == -2' \
	--plugin "$tmp/odd.so" --modifier ret=odd
stdout_has '\{ret="-2",ret_text="a\\\\b\\"c\\nd\\\\xffé\\\\xed\\\\xa0\\\\x80"\} [0-9]+$'
have promtool && {
	hist report -q -i trace.dat-samples/syscalls.dat -e sys_exit -R 'hist:keys=ret if ret == -2' \
		--plugin "$tmp/odd.so" --modifier ret=odd --format prometheus
	cp "$tmp.out" "$tmp/prom"
	run promtool check metrics <"$tmp/prom"
	status_is 0
	stderr_is ''
}


it 'prometheus: the older text format, as promtool and its parser in Python accept it'
for query in 'kmalloc.dat -e kmalloc -R hist:keys=bytes_req.log2:vals=bytes_req,bytes_alloc' \
	'syscalls.dat -e sys_exit -R hist:keys=ret:vals=ret' 'wakeup.dat -e sched_waking --by comm'; do
	# shellcheck disable=SC2086
	hist report -q -i trace.dat-samples/$query --format prometheus
	status_is 0
	stdout_has '^# TYPE hist_hits_total counter$'
	cp "$tmp.out" "$tmp/prom"
	have promtool && { run promtool check metrics <"$tmp/prom"; status_is 0; stderr_is ''; }
	[ -z "$python" ] || run "$python" -c 'import sys
from prometheus_client.parser import text_string_to_metric_families as parse
print(sorted({f.type for f in parse(open(sys.argv[1]).read())} - {"counter", "gauge", "histogram"}))' "$tmp/prom"
	[ -z "$python" ] || stdout_is '[]'
done
# times are in seconds, which are the base unit
hist report -q -i trace.dat-samples/wakeup.dat wakeup-latency --show 2 --format prometheus
cp "$tmp.out" "$tmp/prom"
have promtool && { run promtool check metrics <"$tmp/prom"; status_is 0; stderr_is ''; }
hist report -q -i trace.dat-samples/wakeup.dat wakeup-latency --show 2 --format json
cp "$tmp.out" "$tmp/json"
run python3 -c 'import json, re, sys
table = json.load(open(sys.argv[1]))
want, hits = {}, 0
for row in sorted(table["data"], key=lambda row: row["key"]["ns"]["max"]):
    hits += row["val"]["hitcount"]
    want[row["key"]["ns"]["max"]] = hits
got = re.findall("^hist_derived_wait_seconds_bucket\\{le=.([0-9.]+).\\} ([0-9]+)$", open(sys.argv[2]).read(), re.M)
print({round(float(le) * 1e9): int(n) for le, n in got} == want, len(want) > 3)' "$tmp/json" "$tmp/prom"
stdout_is 'True True'
openmetrics -i trace.dat-samples/wakeup.dat -e sched_waking --by comm
cp "$tmp.out" "$tmp/prom"
[ -z "$python" ] || run "$python" -c 'import sys
from prometheus_client.parser import text_string_to_metric_families as parse
print(len([s for f in parse(open(sys.argv[1]).read()) for s in f.samples if s.name == "hist_hits_total"]))' "$tmp/prom"
[ -z "$python" ] || stdout_is 1

# --- modifiers ---

it 'errno adds names to negative numbers in the text'
report -R 'hist:keys=ret:sort=ret if ret < 1' --modifier ret=errno
status_is 0
stderr_is ''
stdout_has '^\{ ret: ENOENT {24}\[ -2\] \} hitcount: +[0-9]+$'
stdout_has 'trigger info: hist:keys=ret:vals=hitcount'

it 'and next to the numbers in other formats'
report -R 'hist:keys=ret:sort=ret if ret < 1' --modifier ret=errno --format ndjson
status_is 0
stdout_has '"key": ?\{"ret": ?-2\}, ?"text": ?\{"ret": ?"ENOENT"\}'
report -R 'hist:keys=ret:sort=ret if ret < 1' --modifier ret=errno --format folded
stdout_has '^ENOENT [0-9]+$'

it 'counts do not change'
report -R 'hist:keys=ret'
grep -o 'hitcount.*' "$tmp.out" >"$tmp/plain"
report -R 'hist:keys=ret' --modifier ret=errno
grep -o 'hitcount.*' "$tmp.out" >"$tmp/named"
holds cmp "$tmp/plain" "$tmp/named"

it 'applies to saved values, too'
report -R 'hist:keys=id:n=hitcount:onchange($n).save(ret)' --modifier ret=errno
status_is 0
stdout_has 'changed: +[0-9]+  ret: EINVAL {24}\[-22\]$'

it 'cannot be used in triggers, because no kernel has it'
report -R 'hist:keys=ret.errno' --modifier ret=errno
status_is 1
stderr_has 'Invalid field modifier'

it 'warns about a field that is not printed'
report -R 'hist:keys=id:vals=ret' --modifier ret=errno
status_is 0
stderr_has 'warning: --modifier ret=errno: no printed histogram'
report -R 'hist:keys=id.syscall' --modifier id=errno
stderr_has 'warning: --modifier id=errno: no printed histogram'

it 'rejects an unknown modifier, or a missing one'
report -R 'hist:keys=ret' --modifier ret=nix
status_is 2
stderr_has 'no plugin offers the modifier nix; there is errno'
for text in ret ret= =errno; do
	report -R 'hist:keys=ret' --modifier "$text"
	status_is 2
	stderr_has "takes FIELD=NAME, not '$text'"
done

# --- plugins of other authors ---

it 'loads a plugin that defines hist_plugin itself'
plugin mine <<'END'
static const struct hist_plugin_format formats[] = { { "mine", "a format", 0, print_rows } };
static const struct hist_plugin_modifier modifiers[] = { { "my", "a modifier", render } };
const struct hist_plugin hist_plugin = { HIST_PLUGIN_ABI, "mine", formats, 1, modifiers, 1 };
END
report -R 'hist:keys=id' -R 'hist:keys=ret' --plugin "$tmp/mine.so" --format mine
status_is 0
stdout_is 'printed
printed'
report -R 'hist:keys=ret if ret == -2' --plugin "$tmp/mine.so" --modifier ret=my
stdout_has 'ret: name {26}\[ -2\]'

it 'loads a plugin that is given twice once; a name without a slash is in the current directory'
report -R 'hist:keys=ret' --plugin "$tmp/mine.so" --plugin "$tmp/mine.so" --format mine
status_is 0
stderr_is ''
root=$PWD
case $HIST in
/*) ;;
*) HIST=$root/$HIST ;;
esac
cd "$tmp" || exit
hist report -i "$root/trace.dat-samples/syscalls.dat" -e sys_exit -R 'hist:keys=ret' --plugin mine.so --format mine
cd "$root" || exit
status_is 0

it 'a format that fails gives the reason'
plugin fails <<'END'
static int fails(const struct hist_plugin_histogram *h, const struct hist_plugin_out *out)
{
	return h->n_rows ? out->fail(out, "too many rows") : 0;
}
static int silent(const struct hist_plugin_histogram *h, const struct hist_plugin_out *out)
{
	(void)out;
	return h->row(h, h->n_rows) ? 0 : 7;
}
static const struct hist_plugin_format formats[] = { { "fails", "x", 0, fails }, { "silent", "x", 0, silent } };
const struct hist_plugin hist_plugin = { HIST_PLUGIN_ABI, "fails", formats, 2, 0, 0 };
END
report -R 'hist:keys=ret' --plugin "$tmp/fails.so" --format fails -o "$tmp/none"
status_is 2
stderr_has 'error: format fails: too many rows'
holds test ! -e "$tmp/none"
report -R 'hist:keys=ret' --plugin "$tmp/fails.so" --format silent
status_is 2
stderr_has 'error: format silent: failed'

it 'limits the length that a modifier returns'
plugin greedy <<'END'
static size_t greedy(uint64_t v, int s, char *buf, size_t n)
{
	(void)v, (void)s, (void)buf;
	return n + 1;
}
static const struct hist_plugin_modifier modifiers[] = { { "greedy", "x", greedy } };
const struct hist_plugin hist_plugin = { HIST_PLUGIN_ABI, "greedy", 0, 0, modifiers, 1 };
END
report -R 'hist:keys=ret if ret == -2' --plugin "$tmp/greedy.so" --modifier ret=greedy
status_is 0
stdout_has '\{ ret: 18446744073709551614 \}'

it 'a plugin of libtraceevent prints its events'
tep=$(pkg-config --variable=libdir libtraceevent)/traceevent/plugins/plugin_sched_switch.so
if [ -f "$tep" ]; then
	hist report -i trace.dat-samples/switch.dat --plugin "$tep" \
		-x 'echo 1 > events/sched/sched_switch/enable' -x 'cat trace'
	status_is 0
	stderr_is ''
	stdout_has 'sched_switch: swapper/1:0 \[120\] R ==> rcu_preempt:16 \[120\]$'
	hist report -i trace.dat-samples/switch.dat \
		-x 'echo 1 > events/sched/sched_switch/enable' -x 'cat trace'
	stdout_has 'sched_switch: prev_comm=swapper/1 '
	for file in "${tep%/*}"/*.so; do
		hist report -i trace.dat-samples/switch.dat --plugin "$file" -e sched_switch -R 'hist:keys=next_pid'
		status_is 0
		stderr_is ''
	done
else
	skip 'no plugins of libtraceevent'
fi

it 'a plugin can never change the aggregated data'
plugin wild <<'END'
static int wild(const struct hist_plugin_histogram *h, const struct hist_plugin_out *out)
{
	(void)print_rows, (void)render;
	for (size_t i = 0; i < h->n_rows; i++) {
		struct hist_plugin_cell *cells = (struct hist_plugin_cell *)h->row(h, i);

		for (size_t c = 0; c < h->n_columns; c++)
			cells[c].num = cells[c].max = 7;
	}
	((struct hist_plugin_histogram *)h)->hits = 7;
	return out->write(out, "wild\n", 5);
}
static size_t zero(uint64_t v, int s, char *buf, size_t n)
{
	(void)v, (void)s;
	memset(buf, '0', n);
	return 1;
}
static const struct hist_plugin_format formats[] = { { "wild", "x", 0, wild } };
static const struct hist_plugin_modifier modifiers[] = { { "zero", "x", zero } };
const struct hist_plugin hist_plugin = { HIST_PLUGIN_ABI, "wild", formats, 1, modifiers, 1 };
END
report -R 'hist:keys=ret'
sed -n 's/.*hitcount:/hitcount:/p; /^Totals/,$p' "$tmp.out" >"$tmp/plain"
report -R 'hist:keys=ret' --plugin "$tmp/wild.so" --format wild
status_is 0
stdout_is wild
report -R 'hist:keys=ret' --plugin "$tmp/wild.so" --modifier ret=zero
sed -n 's/.*hitcount:/hitcount:/p; /^Totals/,$p' "$tmp.out" >"$tmp/named"
holds cmp "$tmp/plain" "$tmp/named"
report -R 'hist:keys=ret:vals=hitcount:sort=ret' --format json
grep -o '"hits":[^,]*' "$tmp.out" >"$tmp/hits"
report -R 'hist:keys=ret:vals=hitcount:sort=ret' --plugin "$tmp/wild.so" --modifier ret=zero --format json
holds grep -qf "$tmp/hits" "$tmp.out"
stdout_has '"key":\{"ret":-2\}'

# --- broken plugins ---

it 'a missing file'
report -R 'hist:keys=id' --plugin "$tmp/none.so"
status_is 2
stderr_has 'error: cannot load the plugin .*none.so: .*: No such file'

it 'a file other than ELF, a directory, a program'
echo '#!/bin/sh' >"$tmp/script.so"
: >"$tmp/empty.so"
for file in "$tmp/script.so" "$tmp/empty.so" "$tmp" trace.dat-samples/syscalls.dat; do
	report -R 'hist:keys=id' --plugin "$file"
	status_is 2
	stderr_has "error: cannot load the plugin $file: ."
done

it 'a file that is cut within its header'
head -c 63 "$tmp/mine.so" >"$tmp/cut.so"
report -R 'hist:keys=id' --plugin "$tmp/cut.so"
status_is 2
stderr_has 'error: cannot load the plugin .*cut.so: .'

it 'without the symbol'
broken other 'is not a plugin' <<'END'
int other(void) { return render(0, 0, 0, 0) + print_rows(0, 0); }
END

it 'with another kind of symbol of that name'
broken function 'for version 0 of the interface; this hist has version 1' <<'END'
#define unused __attribute__((unused))
int other(void) { return render(0, 0, 0, 0) + print_rows(0, 0); }
__asm__(".balign 8\n.globl hist_plugin\n.type hist_plugin,@function\nhist_plugin: .skip 64");
END
broken odd 'the symbol hist_plugin is not a struct hist_plugin' <<'END'
#define unused __attribute__((unused))
int other(void) { return render(0, 0, 0, 0) + print_rows(0, 0); }
__asm__(".balign 8\n.skip 1\n.globl hist_plugin\n.type hist_plugin,@function\nhist_plugin: .skip 64");
END

it 'for another version'
broken version 'for version 2 of the interface; this hist has version 1' <<'END'
static const struct hist_plugin_format formats[] = { { "mine", "a format", 0, print_rows } };
static const struct hist_plugin_modifier modifiers[] = { { "my", "a modifier", render } };
const struct hist_plugin hist_plugin = { HIST_PLUGIN_ABI + 1, "mine", formats, 1, modifiers, 1 };
END

# members NAME WHAT FORMAT MODIFIER REST...: a member is wrong
members()
{
	broken "$1" "$2" <<END
static const struct hist_plugin_format formats[] = { $3 };
static const struct hist_plugin_modifier modifiers[] = { $4 };
const struct hist_plugin hist_plugin = { HIST_PLUGIN_ABI, $5 };
const void *const used[] = { formats, modifiers, (void *)print_rows, (void *)render };
END
}

it 'with missing members'
f='{ "f", "s", 0, print_rows }'
m='{ "m", "s", render }'
members noname 'the plugin has no name' "$f" "$m" '0, formats, 1, modifiers, 1'
members badname 'the plugin has no name, or an invalid one' "$f" "$m" '"a b", formats, 1, modifiers, 1'
members nothing 'neither formats nor modifiers' "$f" "$m" '"n", formats, 0, modifiers, 0'
members nolist 'list of formats is missing' "$f" "$m" '"n", 0, 1, modifiers, 1'
members long 'list of modifiers is missing or too long' "$f" "$m" '"n", formats, 1, modifiers, 100000'
members noprint 'format f of the plugin has no function' '{ "f", "s", 0, 0 }' "$m" '"n", formats, 1, modifiers, 1'
members nosummary 'format f of the plugin has no function or no summary' '{ "f", 0, 0, print_rows }' "$m" '"n", formats, 1, modifiers, 1'
members noformat 'a format of the plugin has no name' '{ 0, "s", 0, print_rows }' "$m" '"n", formats, 1, modifiers, 1'
members slash 'a format of the plugin has no name, or an invalid one' '{ "a/b", "s", 0, print_rows }' "$m" '"n", formats, 1, modifiers, 1'
members norender 'modifier m of the plugin has no function' "$f" '{ "m", "s", 0 }' '"n", formats, 1, modifiers, 1'
members nomodifier 'a modifier of the plugin has no name' "$f" '{ "", "s", render }' '"n", formats, 1, modifiers, 1'

it 'with names in use'
members json 'the format json already exists' '{ "json", "s", 0, print_rows }' "$m" '"n", formats, 1, modifiers, 1'
members text 'the format text already exists' '{ "text", "s", 0, print_rows }' "$m" '"n", formats, 1, modifiers, 1'
members same 'the format f already exists' "$f, $f" "$m" '"n", formats, 2, modifiers, 1'
members samem 'the modifier m already exists' "$f" "$m, $m" '"n", formats, 1, modifiers, 2'
cp "$tmp/mine.so" "$tmp/again.so"
report -R 'hist:keys=id' --plugin "$tmp/mine.so" --plugin "$tmp/again.so"
status_is 2
stderr_has 'again.so: the format mine already exists'

it 'with unresolved symbols'
broken undefined 'undefined symbol: not_there' <<'END'
int not_there(void);
int other(void) { return not_there() + render(0, 0, 0, 0) + print_rows(0, 0); }
END

it 'in the directory: a warning, and the others are used'
mkdir "$tmp/dir"
cp "$tmp/mine.so" "$tmp/noname.so" "$tmp/script.so" "$tmp/dir"
cp "$tmp/mine.so" "$tmp/dir/zz.so"
echo text >"$tmp/dir/README"
HIST_PLUGIN_DIR=$tmp/dir report -R 'hist:keys=ret' --format mine
status_is 0
stdout_is printed
stderr_has 'warning: .*/noname.so: the plugin has no name.*\(left out\)'
stderr_has 'warning: cannot load the plugin .*/script.so: .*\(left out\)'
stderr_has 'warning: .*/zz.so: the format mine already exists \(left out\)'
stderr_lacks README

done_testing
