#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The manual: it is well formed, has a page for every verb and a word on every option that
# the program takes, and its examples do what they say.
#
# An example is a line "$ COMMAND" between .EX and .EE, which goes on after a backslash as in sh,
# with or without "> " before the rest; a comment before it may say
#	.\" exit N		its exit status, if not 0
#	.\" needs WHAT		run only where that is: tracefs (to record), trace-cmd, jq, ...
# The examples of a page run one after the other in one directory that holds the samples and,
# as trace.dat, switch.dat of them.
. tests/cli/lib.sh

pages=$(ls man/*.[1357] 2>/dev/null)
[ -n "$pages" ] || skip_all 'no man pages'
root=$PWD

it 'is well formed'
for page in $pages; do
	have mandoc && run mandoc -Tlint -W warning "$page" &&
		{ [ "$status" = 0 ] || fail_file "$page:" "$tmp.out"; }
	have groff && run groff -man -Tutf8 -ww -z "$page" &&
		{ [ ! -s "$tmp.err" ] || fail_file "$page:" "$tmp.err"; }
done

# The page $1 as words and nothing else.
plain()
{
	sed -e 's/^\.\\" \(exit\|needs\) /.\1 /' -e 's/^\.\\".*//' -e 's/\\f[BIRP]//g' -e 's/\\-/-/g' -e 's/\\(aq/'"'"'/g' -e 's/\\(dq/"/g' \
		-e 's/\\&//g' -e 's/\\e/\\/g' -e 's/\\(ga/`/g' -e 's/\\(ha/^/g' -e 's/\\(ti/~/g' "$1"
}

# The verbs, from what the program says when it is given none: "  VERB   what it does".
hist
verbs=$(sed -n 's/^  *\([a-z][a-z-]*\)  .*/\1/p' "$tmp.err")

it 'the program names its verbs'
[ -n "$verbs" ] || fail_file 'no verbs in:' "$tmp.err"

for verb in $verbs; do
	page=man/hist-$verb.1
	it "hist $verb has a page that names every option"
	if [ ! -f "$page" ]; then
		fail "no $page"
		continue
	fi
	hist "$verb" --help
	status_is 0
	plain "$page" >"$tmp/page"
	# Long options as argp lists them, at the start of a line of --help.
	sed -n 's/^  *\(-[[:alnum:]], *\)\{0,1\}\(--[a-z-]*\).*/\2/p' "$tmp.out" >"$tmp/options"
	while read -r option; do
		case $option in
		--help | --usage | --version) continue ;;
		esac
		grep -q -e "$option\([^a-z-]\|$\)" "$tmp/page" || fail "$page does not mention $option"
	done <"$tmp/options"
	plain man/hist.1 | grep -q "hist-$verb (1)" || fail "man/hist.1 does not refer to hist-$verb(1)"
done

it 'has no page without a verb'
for page in man/hist-*.1; do
	[ -f "$page" ] || continue
	verb=${page#man/hist-}
	echo "$verbs" | grep -qx "${verb%.1}" || fail "$page: no such verb"
done

# What an example may need beyond the program.
available()
{
	case $1 in
	tracefs) [ -w /sys/kernel/tracing/instances ] ;;
	*) have "$1" ;;
	esac
}

# The examples of page $1: $tmp/examples/N is a command, N.status and N.need what is said of it.
cut_examples()
{
	rm -rf "$tmp/examples"
	mkdir "$tmp/examples"
	plain "$1" | perl -ne '
		BEGIN { ($dir, $status, $need) = (shift, 0, "") }
		$status = $1 if /^\.exit (\d+)/;
		$need = $1 if /^\.needs (\S+)/;
		$inside = /^\.EX/ if /^\.E[XE]/;
		next unless $inside && (s/^\$ // || $cmd);
		s/^> // if $cmd;
		$cmd .= $_;
		next if /\\$/;
		$name = sprintf "%s/%03d", $dir, ++$n;
		for (["", $cmd], [".status", $status], [".need", $need]) {
			open F, ">", $name . $_->[0] and print F $_->[1] and close F or die;
		}
		($cmd, $status, $need) = ("", 0, "");' "$tmp/examples"
}

mkdir "$tmp/bin" "$tmp/samples"
# A recording takes its turn with those of other tests, see tests/record/lib.sh.
cat >"$tmp/bin/hist" <<END
#!/bin/sh
if [ "\$1" = record ] && [ -r /sys/kernel/tracing/instances ]; then
	exec 9</sys/kernel/tracing/instances
	flock -s 9
fi
exec ${HIST_VALGRIND:-} "$(realpath "$HIST")" "\$@"
END
chmod +x "$tmp/bin/hist"
PATH=$tmp/bin:$PATH
for f in trace.dat-samples/*; do
	[ ! -f "$f" ] || ln -s "$root/$f" "$tmp/samples"
done

# Run the examples of page $1, each as one test.
try_examples()
{
	rm -rf "$tmp/work"
	mkdir "$tmp/work"
	cp -P "$tmp/samples"/* "$tmp/work" 2>/dev/null
	cp "$root/trace.dat-samples/switch.dat" "$tmp/work/trace.dat" # examples write to it
	cut_examples "$1"
	for example in "$tmp"/examples/*[0-9]; do
		[ -f "$example" ] || continue
		it "${1#man/}: $(tr -d '\\\n#' <"$example" | cut -c1-100)"
		need=$(cat "$example.need")
		if [ -n "$need" ] && ! available "$need"; then
			skip "needs $need"
			continue
		fi
		cd "$tmp/work" || exit
		run sh "$example" </dev/null
		cd "$root" || exit
		status_is "$(cat "$example.status")"
	done
}

for page in $pages; do
	try_examples "$page"
done

done_testing
