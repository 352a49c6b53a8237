# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Library of the tests of hist slim: . tests/cli/slim.sh
small=$tmp/small.dat

# slim INPUT SCRIPT [ARG...]: write $small
slim()
{
	input=$1
	shift
	rm -f "$small"
	hist slim -i "$input" -o "$small" "$@"
	cp "$tmp.err" "$tmp/slim.err"
}

# tree INPUT DIR [ARG...]: everything that report writes, with the status; messages are in DIR.err
tree()
{
	input=$1
	dir=$2
	shift 2
	rm -rf "$dir"
	hist report -k --tracefs "$dir" -i "$input" "$@"
	echo "$status" >"$dir/status"
	cp "$tmp.out" "$dir/out"
	sed 's,[^ ]*\.dat,FILE,; s,^stored script:,SCRIPT:,; s,^[^ ]*/[a-z]*\(\.script\)\{0\,1\}:\([0-9]\),SCRIPT:\2,' "$tmp.err" >"$dir/err"
}

# same_tree: compare $tmp/a and $tmp/b; trace, and messages about it, only if it was kept
same_tree()
{
	if grep -q 'only .trace. shows are left out' "$tmp/slim.err"; then
		rm -f "$tmp/a/trace" "$tmp/b/trace"
		sed -i '/hits needed a kernel stack/d; /pointers (%p) are shown as recorded/d; /lines of event probes/d' "$tmp/a/err" "$tmp/b/err"
	fi
	diff -r "$tmp/a" "$tmp/b" >>"$tmp.why"
}

# in_original ORIGINAL: the texts of trace-cmd for $small are among those for the original, in order
in_original()
{
	trace-cmd report -i "$1" >"$tmp/original.txt" 2>/dev/null
	trace-cmd report -i "$small" >"$tmp/slim.txt" 2>/dev/null
	perl -e 'open A, "<", $ARGV[0]; open B, "<", $ARGV[1];
		sub line { my ($f) = @_; my $l; do { $l = <$f> } while defined $l && $l =~ /^(cpus=|CPU )/; $l }
		while (defined(my $l = line(*B))) {
			my $a; do { $a = line(*A) } while defined $a && $a ne $l;
			die "only in the smaller one: $l" unless defined $a;
		}' "$tmp/original.txt" "$tmp/slim.txt" >>"$tmp.why" 2>&1
}
