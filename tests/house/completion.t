#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Completion in bash: the words offered for a line up to the cursor, and how bash completes the line
# at a terminal.
. tests/cli/lib.sh

have bash || skip_all 'no bash'

# offers LINE WANT...: for "hist LINE". The word that bash completes begins after a blank, ':' or
# '=', unless it is quoted.
offers()
{
	line="hist $1"
	shift
	bash --norc --noprofile -c '
		PATH=$1:$PATH
		source completion/hist
		COMP_LINE=$2
		COMP_POINT=${#2}
		word=${2##*[ :=]}
		printf -v q "\047"
		[[ $2 == *$q*([!$q]) ]] && word=${2##*"$q"}
		_hist hist "$word" ""
		printf "%s\n" "${COMPREPLY[@]}"' sh "$tmp/bin" "$line" >"$tmp/offered" 2>"$tmp/err"
	for want; do
		case $want in
		!*) ! checked grep -qxF -e "${want#!}" "$tmp/offered" || fail "$line: offers ${want#!}" ;;
		*) checked grep -qxF -e "$want" "$tmp/offered" || fail_file "$line: does not offer '$want', but:" "$tmp/offered" ;;
		esac
	done
	checked [ ! -s "$tmp/err" ] || fail_file "$line:" "$tmp/err"
}

# offers_only LINE WANT...: and nothing else
offers_only()
{
	offers "$@"
	shift
	[ "$(sed '/^$/d' "$tmp/offered" | wc -l)" = $# ] || fail_file "$line: offers more:" "$tmp/offered"
}

mkdir "$tmp/bin"
ln -s "$(realpath "$HIST")" "$tmp/bin/hist"
switch='-i trace.dat-samples/switch.dat'

it 'all verbs'
hist
sed -n 's/^  *\([a-z][a-z-]*\)  .*/\1/p' "$tmp.err" >"$tmp/verbs"
# shellcheck disable=SC2046 # split into words
offers_only '' $(cat "$tmp/verbs") help
offers_only 're' record recipe report
offers_only '-q reco' record
offers_only 'help li' list

it 'all options of each verb'
while read -r verb; do
	hist "$verb" --help
	cp "$tmp.out" "$tmp/help"
	offers "$verb --"
	sed 's/=$//' "$tmp/offered" | sort >"$tmp/got"
	sed -n 's/^  *\(-[[:alnum:]?], *\)\{0,1\}\(--[a-z0-9-]*\).*/\2/p' "$tmp/help" | sort >"$tmp/want"
	holds diff "$tmp/want" "$tmp/got"
done <"$tmp/verbs"
offers_only 'report --st' --stats --strict --strict-kernel

it 'a recording in place of a verb'
offers_only 'trace.dat-samples/swi' trace.dat-samples/switch.dat trace.dat-samples/switch.script trace.dat-samples/switch.txt
offers_only 'report --tr' --tracefs= --tree= --trigger=

it 'events of the recording: those with records, otherwise all'
offers_only "report $switch -e sched:" sched_waking sched_switch
offers_only "report $switch -e sched_sw" sched_switch
offers_only "report -i tests/cli/recipes/functions.dat -e derived:f" function
offers_only "events -i tests/cli/recipes/marker.dat -e derived:s" slice
offers_only "report -i tests/cli/recipes/marker.dat -e derived:slice -R hist:keys=dep" depth
offers_only "report $switch -e derived:slice --slice-begin sched_sw" sched_switch
offers_only "why $switch -e derived:slice --slice-end='sched:sched_switch if prev_s" 'sched:sched_switch if prev_state'
offers_only "report $switch --event=raw_" raw_syscalls:sys_enter
offers "report -i tests/golden/6.12/chain/trace.dat -e kmem:kmal" kmalloc
offers_only "report $switch --show sched:sched_w" sched_waking
offers_only "report $switch -R 'enable_hist:sched:sched_s" enable_hist:sched:sched_switch
offers_only "report -i trace.dat-samples/switch.dat -e raw_syscalls:sys_en" sys_enter

it 'fields of the named event'
offers_only "report $switch -e sched_switch -R hist:keys=next_" next_comm next_pid next_prio
offers_only "report $switch -e sched_switch -R 'hist:keys=next_" \
	hist:keys=next_comm hist:keys=next_pid hist:keys=next_prio
offers "report $switch -e sched_switch -R 'hist:keys=next_pid,prev" 'hist:keys=next_pid,prev_comm'
offers "report $switch -e raw_syscalls:sys_enter -R 'hist:keys=id:vals=" hist:keys=id:vals=hitcount hist:keys=id:vals=args
offers_only "report $switch -e sched_switch -f 'prev_pid > 0 && prev_s" 'prev_pid > 0 && prev_state'
offers_only "check $switch -e sched_switch -R 'hist:keys=next_pid if prev_s" 'hist:keys=next_pid if prev_state'
offers "diff a.dat trace.dat-samples/switch.dat -e sched_switch -R 'hist:keys=next_" '!hist:keys=next_x'
offers "report $switch -e sched_switch --modifier prev_s" prev_state=
offers_only "report $switch -e sched_switch --by next_c" next_comm
offers_only "report $switch -e sched_switch --by next_pid,prev_s" next_pid,prev_state
offers "report $switch -e sched_switch --by pro" process
offers_only "report $switch -e derived:wait --sum other_" other_idle_ns
offers "report $switch wakeup-latency --by reas" reason

it 'parts of a trigger'
offers "report -R " hist:keys= enable_event: traceon
offers_only "report -R 'hist:keys=id.sy" hist:keys=id.sym hist:keys=id.sym-offset hist:keys=id.syscall
offers "report -R 'hist:keys=id:" hist:keys=id:vals= hist:keys=id:sort= 'hist:keys=id:onmax('
offers_only "report -R 'hist:keys=id:sort=hitcount.d" hist:keys=id:sort=hitcount.descending

it 'values of options'
offers_only 'report --format j' json
offers_only 'report --format=nd' ndjson
for verb in report merge events why summary sql list dump trend diff; do
	offers "$verb --format=" text csv tsv json ndjson markdown html sql parquet
done
offers_only 'record -z z' zlib zstd
offers_only 'diff --sort b' before
offers 'report --color ' auto always never
offers_only 'report -i trace.dat-samples/switch.d' trace.dat-samples/switch.dat
offers_only 'report wakeup-l' wakeup-latency
offers_only 'recipe cpu-i' cpu-idle-residency
offers_only 'record -S irqs' irqs-off
offers_only 'report wakeup-latency -D m' min=0us
offers_only 'report --input=trace.dat-samples/switch.d' trace.dat-samples/switch.dat
offers_only 'report trace.dat-samples/wakeup.s' trace.dat-samples/wakeup.script

it 'completes the command of hist record as a command'
offers_only 'record -e sched_switch ls -'
offers_only 'record -e sched_switch ls Makef' Makefile
offers 'record -e sched_switch base6' base64

it 'offers nothing where nothing is valid'
offers_only 'nix --'
offers_only 'report -i /nonexistent -e sched'
offers_only "report $switch -e nix -R 'hist:keys=nex"

it 'at a terminal'
if have python3; then
	cat >"$tmp/type.py" <<'END'
import os, pty, re, select, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(PS1='> ', TERM='dumb', INPUTRC='/dev/null')
    os.execvp('bash', ['bash', '--norc', '--noprofile', '-i'])
def read(until, limit=20):
    text, end = '', time.time() + limit
    while time.time() < end and not re.search(until, text):
        if select.select([fd], [], [], 0.1)[0]:
            text += os.read(fd, 4096).decode()
    return text
os.write(fd, b"bind 'set enable-bracketed-paste off'; PS1='READY> '; source completion/hist\n")
read(r'\nREADY> ')
for line in sys.argv[1:]:
    # echo prints the resulting line
    os.write(fd, line.encode() + b'\t')
    time.sleep(1.0)
    os.write(fd, b"\x01echo END: \x05\n")
    got = re.findall(r'END: (hist [^\r\n]*)\r?\n', read(r'\r?\nEND: [^\n]*\n.*READY> ').replace(' \r', ''))
    print(got[-1] if got else '-')
os.write(fd, b'exit\n')
END
	PATH=$tmp/bin:$PATH run python3 "$tmp/type.py" 'hist rep' 'hist report --inter' \
		'hist report -i trace.dat-samples/switch.dat -e sched_sw' \
		"hist report -i trace.dat-samples/switch.dat -e sched_switch -R 'hist:keys=prev_s" \
		'hist report -i trace.dat-samples/switch.dat -e sched_switch -R hist:keys=prev_s' \
		'hist report --input=trace.dat-samples/sw'
	sed -i 's/ *$//' "$tmp.out"
	stdout_is "hist report
hist report --interval=
hist report -i trace.dat-samples/switch.dat -e sched_switch
hist report -i trace.dat-samples/switch.dat -e sched_switch -R hist:keys=prev_state
hist report -i trace.dat-samples/switch.dat -e sched_switch -R hist:keys=prev_state
hist report --input=trace.dat-samples/switch."
else
	skip 'no python3'
fi

# --- zsh and fish, which use the output of the completion for bash ---

it 'run as a program, the completion prints whole words'
PATH=$tmp/bin:$PATH run bash completion/hist 'hist report --sort=p9'
stdout_is '--sort=p90
--sort=p99
--sort=p99.9
'
PATH=$tmp/bin:$PATH run bash completion/hist "hist report -i trace.dat-samples/switch.dat -e sched_switch -R 'hist:keys=prev_s"
stdout_is 'hist:keys=prev_state
'

it 'zsh offers these words'
if command -v zsh >/dev/null; then
	# shellcheck disable=SC2016 # expanded by zsh
	PATH=$tmp/bin:$PATH run zsh -f -c 'fpath=($PWD/completion $fpath)
		autoload -Uz _hist
		compadd() { print -r -- $argv[-1] }
		words=(hist rep) CURRENT=2 PREFIX=rep
		_hist
		words=(hist report -i trace.dat-samples/switch.dat -e sched_sw) CURRENT=6 PREFIX=sched_sw
		_hist'
	stdout_is 'report
sched_switch
'
else
	skip 'no zsh'
fi

it 'fish offers these words'
if command -v fish >/dev/null; then
	PATH=$tmp/bin:$PATH run env HOME="$tmp" fish -N -c 'source completion/hist.fish
		complete -C "hist rep"
		complete -C "hist report -i trace.dat-samples/switch.dat -e sched_sw"'
	stdout_is 'report
sched_switch
'
else
	skip 'no fish'
fi

done_testing
