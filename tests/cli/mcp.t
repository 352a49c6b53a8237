#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist mcp: the protocol, answers that are those of the verbs and fit, and that nothing else is read.
. tests/cli/lib.sh

have python3 || skip_all 'no python3'
rec=trace.dat-samples/wakeup.dat
other=trace.dat-samples/switch.dat

# ask RECORDING...: the calls of standard input, "TOOL ARGUMENTS" in each line
ask()
{
	run python3 tests/cli/mcp.py "$HIST" "$@"
}

# same_as VERB...: the answer begins with what the verb prints
same_as()
{
	cp "$tmp.out" "$tmp/answer"
	hist "$@"
	head -n "$(wc -l <"$tmp.out")" "$tmp/answer" >"$tmp/first"
	checked cmp -s "$tmp.out" "$tmp/first" || fail_file "not as hist $*:" "$tmp/answer"
}

it 'speaks the protocol'
run python3 tests/cli/mcp_protocol.py "$HIST" "$rec"
status_is 0
[ "$status" = 0 ] || fail_file 'mcp_protocol.py:' "$tmp.err"

it 'answers as the verbs do'
ask -i "$rec" <<'END'
ask {"question": "wakeup-latency", "top": 3}
END
same_as report -i "$rec" wakeup-latency --top 3
ask -i "$rec" <<'END'
ask {"event": "sched_switch", "filter": "next_pid != 0 && next_comm ~ \"e*\"", "by": "next_comm,next_prio", "top": 2}
END
same_as report -i "$rec" -e sched_switch -f 'next_pid != 0 && next_comm ~ "e*"' --by next_comm,next_prio --top 2
ask -i "$rec" <<'END'
why {"question": "wakeup-latency", "exemplar": 2, "define": {"min": "10us", "comm": "*"}}
END
same_as why -i "$rec" wakeup-latency --exemplar 2 -D min=10us
ask -i "$rec" <<'END'
events {"event": "sched_switch", "top": 4, "fields": "time,next_comm"}
END
same_as events -i "$rec" -e sched_switch --top 4 --fields time,next_comm
ask -i "$rec" <<'END'
sql {"statement": "SELECT kind, count(*) FROM wait GROUP BY 1 ORDER BY 1"}
END
same_as sql -i "$rec" 'SELECT kind, count(*) FROM wait GROUP BY 1 ORDER BY 1'
ask -i "$rec" <<'END'
recipes {"name": "on-cpu", "tokens": 5000}
END
same_as recipe on-cpu
ask -i "$rec" <<'END'
describe {"tokens": 5000}
END
same_as list "$rec"
ask "$other" "$rec" <<END
diff {"before": "switch.dat", "after": "$rec", "question": "on-cpu", "top": 2, "tokens": 5000}
END
same_as diff -S on-cpu "$other" "$rec" --top 2

it 'an answer that is cut keeps its small tables, such as quantiles'
ask "$other" "$rec" <<END
diff {"before": "switch.dat", "after": "$rec", "question": "on-cpu", "tokens": 1000}
END
stdout_has 'left out'
for row in n min max mean p50 p90 p99; do
	stdout_has "^$row  "
done

it 'answers of a recording that changed between two questions what it contains now'
cat >"$tmp/changed.py" <<'END'
import os, shutil, sys
sys.path.insert(0, "tests/cli")
from mcp import Server
path = sys.argv[2]
shutil.copy(sys.argv[3], path)
server = Server(sys.argv[1], "mcp", "--memory", "100M", path)
question = "ask", {"event": "sched_switch", "by": "next_comm"}
first = [server.tool(*question), server.tool(*question)]
size = os.path.getsize(path)
shutil.copy(sys.argv[4], path)  # in place
second = [server.tool(*question), server.tool(*question)]
os.unlink(path)
shutil.copy(sys.argv[3], path)
third = server.tool(*question)
assert first[0] == first[1] == third and second[0] == second[1] != first[0], (first, second)
assert server.end() == 0
END
run python3 "$tmp/changed.py" "$HIST" "$tmp/changed.dat" "$rec" "$other"
status_is 0
[ "$status" = 0 ] || fail_file 'changed.py:' "$tmp.err"

it 'lists all questions that the recording can answer, and opens no file that is named like a recipe'
hist recipe -q -i "$rec"
sed -n '/^$/q; s/^  \([a-z-]*\) .*/\1/p' "$tmp.out" >"$tmp/can"
echo 'recipes {}' | ask -i "$rec"
while read -r name; do
	stdout_has "^  $name "
done <"$tmp/can"
stdout_has 'others need what was not recorded: recipes \{name\}$'
stdout_lacks 'left out'
for file in "$other" /etc/passwd; do
	printf 'recipes {"name": "%s"}\nrecipes {"name": "%s", "recording": "%s"}\n' "$file" "$file" "$rec" | ask -i "$rec"
	stdout_lacks 'can answer|switch.dat: |is not a trace.dat'
	stdout_has 'error: there is no recipe'
done
echo 'ask {"question": "wakup-latency"}' | ask -i "$rec"
stdout_has 'error: there is no recipe wakup-latency; recipes of similar names: wakeup-latency; type recipes'

it 'names what to type'
ask -i "$rec" -i "$other" <<'END'
ask {"question": "on-cpu"}
ask {"question": "on-cpus", "recording": "wakeup.dat"}
ask {"event": "sched_switch", "by": "next_com", "recording": "wakeup.dat"}
ask {"event": "sched_swich", "recording": "wakeup.dat"}
sql {"statement": "SELECT nope FROM wait", "recording": "wakeup.dat"}
sql {"recording": "wakeup.dat"}
describe {"event": "derived:wait", "recording": "wakeup.dat"}
summary {"recording": "wakeup.dat"}
END
for line in "error: which recording.; type recording: one of \"$rec\", \"$other\"" 'there is no recipe on-cpus; recipes of similar names: on-cpu.*; type recipes' \
	'sched:sched_switch has .*next_comm' 'nearest: sched:sched_switch' 'no such column: nope' \
	'error: sql needs the argument statement: .*SELECT' '  ns: u64, nanoseconds$' '^next: hist report NAME is ask'; do
	stdout_has "$line"
done

it 'fits into a thousand tokens, or the number that is asked for, and names what it leaves out'
cat >"$tmp/fits.py" <<'END'
import sys
sys.path.insert(0, "tests/cli")
from mcp import Server
server = Server(sys.argv[1], "mcp", sys.argv[2])
for name, arguments in (("summary", {}), ("events", {}), ("sql", {"statement": "SELECT * FROM sched_switch"}), ("describe", {}),
                        ("ask", {"event": "all", "by": "event,common_pid.execname"}), ("recipes", {}), ("ask", {"question": "on-cpu"}),
                        ("ask", {"event": "sched_switch", "by": "cpu", "interval": "10us"}),
                        ("sql", {"statement": "SELECT hex(randomblob(2000)) FROM sched_switch"})):
    whole = server.tool(name, {**arguments, "tokens": 50000})
    assert not whole[0], whole
    for tokens in 1000, 300:
        is_error, text = server.tool(name, {**arguments, "tokens": tokens} if tokens != 1000 else arguments)
        # even texts of numbers have two bytes for each token
        assert not is_error and len(text) < 5 * tokens, (name, len(text))
        assert "left out: " in text or text == whole[1], (name, arguments, text)
        assert text.endswith(whole[1].splitlines()[-1] + "\n")  # the next question
assert server.end() == 0
END
run python3 "$tmp/fits.py" "$HIST" "$rec"
status_is 0
[ "$status" = 0 ] || fail_file 'fits.py:' "$tmp.err"

it 'reads nothing but the recordings and the recipes, and writes nothing'
if [ -n "${SANITIZE:-}" ]; then
	skip 'the sanitizer of leaks does not work under strace'
elif have strace && strace -o /dev/null true 2>/dev/null; then
	cat >"$tmp/calls" <<END
summary {"recording": "wakeup.dat"}
ask {"question": "on-cpu", "recording": "wakeup.dat"}
ask {"question": "../../../../etc/passwd", "recording": "wakeup.dat"}
ask {"question": "$tmp/calls", "recording": "wakeup.dat"}
ask {"event": "all", "by": "common_pid.execname,stacktrace", "recording": "stacks.dat"}
ask {"event": "all", "by": "ip.sym,ustack", "recording": "perf.data"}
ask {"event": "all", "by": "event", "sort": "-o$tmp/written", "recording": "wakeup.dat"}
ask {"question": "on-cpu", "show": "1 --output=$tmp/written", "recording": "--output=$tmp/written"}
ask {"event": "-o$tmp/written", "recording": "wakeup.dat"}
ask {"recording": "/etc/passwd", "question": "on-cpu"}
why {"question": "on-cpu", "recording": "wakeup.dat"}
why {"all": true, "recording": "wakeup.dat"}
events {"event": "sched_switch", "filter": "/etc/passwd", "recording": "wakeup.dat"}
sql {"statement": "/etc/passwd", "recording": "wakeup.dat"}
sql {"statement": "ATTACH '$tmp/written' AS w", "recording": "wakeup.dat"}
sql {"statement": "VACUUM INTO '$tmp/written'", "recording": "wakeup.dat"}
sql {"statement": "SELECT load_extension('$tmp/written')", "recording": "wakeup.dat"}
sql {"statement": "SELECT count(*) FROM 'on-cpu'", "recording": "wakeup.dat"}
diff {"before": "wakeup.dat", "after": "/etc/passwd"}
diff {"before": "wakeup.dat", "after": "switch.dat", "question": "on-cpu"}
recipes {"name": "../../../README.md"}
recipes {"name": "-o$tmp/written"}
recipes {"recording": "wakeup.dat"}
describe {"event": "/etc/passwd", "recording": "wakeup.dat"}
describe {"recording": "wakeup.dat"}
END
	gzip -dc tests/import/stacks.data.gz >"$tmp/perf.data"
	cat >"$tmp/traced" <<END
#!/bin/sh
exec strace -f -s 200 -o "$tmp/trace" -e trace=open,openat,openat2,creat,execve,rename,renameat2,unlink,unlinkat,mkdir,link,symlink,truncate,network "$HIST" "\$@"
END
	chmod +x "$tmp/traced"
	run python3 tests/cli/mcp.py "$tmp/traced" -i "$rec" -i "$other" -i trace.dat-samples/stacks.dat -i "$tmp/perf.data" <"$tmp/calls"
	status_is 0
	checked grep -q 'wakeup.dat' "$tmp/trace" || fail 'no trace'
	# after the program was started: the recordings, recipes, libraries, this machine
	sed -n -e '1,/wakeup.dat/d' -e '/ENOENT\|ENOTDIR\|exited\|+++\|---/d' -e '/clone\|exit_group\|resumed\|wait4/d' \
		-e '/readlink.*proc.self.exe/d' -e "s|$PWD/||" -e p "$tmp/trace" |
		grep -v '"[^"]*share/hist/recipes\|"trace.dat-samples/\|"[^"]*/perf.data"\|"/proc/self/\|"/sys/kernel/notes"\|"/dev/urandom"\|"/sys/devices/system/cpu\|"/etc/ld.so.cache\|"[^"]*\.so[.0-9]*"\|"/usr/lib/locale\|"/usr/share/locale\|"/etc/localtime' |
		grep -v 'O_TMPFILE\|memfd' >"$tmp/opened"
	checked [ ! -s "$tmp/opened" ] || fail_file 'opened:' "$tmp/opened"
	checked [ ! -e "$tmp/written" ] || fail 'it wrote a file'
else
	skip 'no strace'
fi

it 'needs recordings'
hist mcp
status_is 2
stderr_has 'name the recordings that may be read: hist mcp -i FILE'
hist mcp -i "$tmp/none.dat"
status_is 2
stderr_has 'none.dat: No such file'

done_testing
