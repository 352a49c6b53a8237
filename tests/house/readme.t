#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# README.md: its commands print what it shows, and what it refers to is there.
. tests/cli/lib.sh
. tests/house/examples.sh

root=$PWD
mkdir "$tmp/bin"
cat >"$tmp/bin/hist" <<END
#!/bin/sh
if [ "\$1" = record ] && [ -r /sys/kernel/tracing/instances ]; then
	exec 9</sys/kernel/tracing/instances
	flock -s 9
fi
exec ${HIST_VALGRIND:-} "$(realpath "$HIST")" "\$@"
END
chmod +x "$tmp/bin/hist"

it 'refers to files that exist'
# shellcheck disable=SC2013 # words
for file in $(sed -n 's/](/\n(/gp' README.md | sed -n 's/^(\([^):]*\)).*/\1/p'); do
	[ -e "$file" ] || fail "no $file"
done

it 'names every page of the manual'
for page in man/*.[1357]; do
	grep -q "($page)" README.md || fail "no $page"
done

it 'has only targets that make knows'
# shellcheck disable=SC2013 # words
for target in $(grep -o '\<make [a-z]\+' README.md | sed 's/make //' | sort -u); do
	grep -qE "^[a-z .()\$:%=-]*\<$target\>.*:" Makefile || fail "no target $target"
done

try_examples README.md

done_testing
