# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs examples in manual pages (.EX to .EE) and in Markdown (``` to ```) as tests.
#
# An example is a line "$ COMMAND". As in sh, it continues after a backslash, with or without "> "
# before the rest, or, after <<'EOF', up to a line EOF. The lines after it are its output, if there are any; one of them may be "[...]"
# for any number of lines; within a line, "[...]" is any text. A comment before it (.\" TEXT, in
# Markdown <!-- TEXT -->) may be
#	exit N		its exit status, if not 0
#	needs WHAT	run only if that is available: tracefs (to record), trace-cmd, jq, ...; applies
#			up to the end of the block
#	file NAME	not an example, but a file of that name for later examples
# Examples of one page run in order in one directory, which contains the samples and switch.dat as
# trace.dat. Those that need "installed" run only in install.t.

# install_wrapper: make $tmp/bin/hist, which runs the program; its recordings wait for those of other
# tests, see tests/record/lib.sh
install_wrapper()
{
	mkdir "$tmp/bin"
	cat >"$tmp/bin/hist" <<END
#!/bin/sh
if { [ "\$1" = record ] || [ "\$1" = top ]; } && [ -r /sys/kernel/tracing/instances ]; then
	exec 9</sys/kernel/tracing/instances
	(flock 8 && flock -s 9) 8</sys/kernel/tracing/events
fi
exec ${HIST_VALGRIND:-} "$(realpath "$HIST")" "\$@"
END
	chmod +x "$tmp/bin/hist"
}

# Print the page $1 as words.
plain()
{
	case $1 in
	*.md)
		sed -e 's/^<!-- \(exit\|needs\|file\) \(.*[^ ]\) *-->$/.\1 \2/' "$1" |
			awk '/^```/ { print inside ? ".EE" : ".EX"; inside = !inside; next } { print }'
		;;
	*)
		sed -e 's/^\.\\" \(exit\|needs\|file\) /.\1 /' -e 's/^\.\\".*//' -e 's/\\f[BIRP]//g' \
			-e 's/\\-/-/g' -e 's/\\(aq/'"'"'/g' -e 's/\\(dq/"/g' -e 's/\\&//g' -e 's/\\e/\\/g' \
			-e 's/\\(ga/`/g' -e 's/\\(ha/^/g' -e 's/\\(ti/~/g' "$1"
		;;
	esac
}

# Whether something that an example needs is available.
available()
{
	case $1 in
	tracefs) [ -w /sys/kernel/tracing/instances ] ;;
	installed) [ -n "${INSTALLED:-}" ] ;;
	*) have "$1" ;;
	esac
}

# The examples of page $1: $tmp/examples/N is a command, with N.status, N.need and N.output; files
# are in $tmp/examples/files.
cut_examples()
{
	rm -rf "$tmp/examples"
	mkdir -p "$tmp/examples/files"
	plain "$1" | perl -e '
		my $dir = shift;
		my ($n, $status, $need, $file) = (0, 0, "", "");
		my ($inside, $cmd, $out) = (0);
		sub put {
			open(my $f, ">", shift) or die;
			print $f shift;
		}
		sub done {
			return unless defined $cmd;
			my $name = sprintf "%s/%03d", $dir, ++$n;
			put($name, $cmd);
			put("$name.status", $status);
			put("$name.need", $need);
			put("$name.output", $out) if $out =~ /\S/;
			($cmd, $status) = (undef, 0);
		}
		while (<STDIN>) {
			if (/^\.(exit|needs|file) (\S+)/) {
				done();
				$1 eq "exit" ? $status = $2 : $1 eq "needs" ? $need = $2 : ($file = $2);
			} elsif (/^\.EX/) {
				$inside = 1;
			} elsif (/^\.EE/) {
				done();
				($inside, $file, $need) = (0, "", "");
			} elsif ($inside && $file) {
				open(my $f, ">>", "$dir/files/$file") or die;
				print $f $_;
			} elsif ($inside && defined $cmd && $cmd =~ /<<.EOF/ && $cmd !~ /^EOF$/m) {
				$cmd .= $_;
			} elsif ($inside && defined $cmd && $cmd =~ /\\\n\z/) {
				$cmd .= s/^> //r;
			} elsif ($inside && s/^\$ //) {
				done();
				($cmd, $out) = ($_, "");
			} elsif ($inside && defined $cmd) {
				$out .= $_;
			}
		}' "$tmp/examples"
}

# The output of an example must match $1.
prints()
{
	perl -e '
		local $/;
		open(my $w, "<", shift) or die;
		open(my $g, "<", shift) or die;
		my ($want, $got) = (scalar <$w>, scalar <$g> // "");
		# ignore blanks at the end of a line and blank lines at the end
		s/[ \t\r]+$//mg, s/\n+\z/\n/ for $want, $got;
		my $re = join "", map { $_ eq "[...]\n" ? "(?:.*\n)*" : quotemeta =~ s/\\\[\\\.\\\.\\\.\\\]/.*/gr } $want =~ /.*\n/g;
		exit !($got =~ /\A$re\z/)' "$1" "$tmp.both" || {
		echo 'prints:'
		head -n 40 "$tmp.both"
		echo 'not what the page shows:'
		cat "$1"
	} >>"$tmp.why"
}

# try_example FILE: run it in $tmp/work
try_example()
{
	cd "$tmp/work" || exit
	run sh "$1" </dev/null
	cd "$root" || exit
	cat "$tmp.out" "$tmp.err" >"$tmp.both"
	status_is "$(cat "$1.status")"
	[ ! -f "$1.output" ] || prints "$1.output"
}

# try_examples PAGE [NEED]: run the examples of a page, each as a test; with NEED only those that
# need it
try_examples()
{
	rm -rf "$tmp/work"
	mkdir "$tmp/work"
	for f in "$root"/trace.dat-samples/*; do
		[ ! -f "$f" ] || ln -s "$f" "$tmp/work"
	done
	ln -s "$root/trace.dat-samples" "$root/examples" "$tmp/work"
	cp "$root/trace.dat-samples/switch.dat" "$tmp/work/trace.dat" # examples write to this file
	[ ! -x "$tmp/bin/hist" ] || ln -s "$tmp/bin/hist" "$tmp/work/hist"
	cut_examples "$1"
	for f in "$tmp"/examples/files/*; do
		[ ! -f "$f" ] || cp "$f" "$tmp/work"
	done
	for example in "$tmp"/examples/*[0-9]; do
		[ -f "$example" ] || continue
		need=$(cat "$example.need")
		[ -z "${2:-}" ] || [ "$need" = "$2" ] || continue
		[ "$need" != installed ] || available installed || continue
		it "${1#man/}: $(tr -d '\\\n#' <"$example" | cut -c1-100)"
		if [ -n "$need" ] && ! available "$need"; then
			skip "needs $need"
			continue
		fi
		try_example "$example"
	done
}
