#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The tree conforms to the rules of tests/check-layers, and that script detects each violation.
. tests/cli/lib.sh

it 'the tree conforms to the rules'
run tests/check-layers
status_is 0
stdout_is ''

it 'the documents name files that exist'
find src plugins python tests man -type f | sed 's|^|/|' >"$tmp/files"
# shellcheck disable=SC2016 # backquotes of Markdown
grep -ohE '`[a-z0-9_/.-]+\.(c|h|css|js|sh|py|t)`' ARCHITECTURE.md CONTRIBUTING.md | tr -d '`' | sort -u >"$tmp/named"
checked test "$(wc -l <"$tmp/named")" -gt 100 || fail "only $(wc -l <"$tmp/named") files are named"
while read -r file; do
	grep -q "/$file\$" "$tmp/files" || fail "there is no $file"
done <"$tmp/named"

lgpl='// SPDX-License-Identifier: LGPL-2.1-only'
gpl='// SPDX-License-Identifier: GPL-2.0-only'
tab=$(printf '\t')

# check FILE TEXT: the rules on a tree with only that file
check()
{
	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree/${1%/*}"
	printf '%s\n' "$2" >"$tmp/tree/$1"
	run tests/check-layers "$tmp/tree"
}

# breach FILE TEXT MESSAGE: a violation is reported
breach()
{
	check "$1" "$2"
	status_is 1
	stdout_has "^$1:[0-9]+: .*$3"
}

# fine FILE TEXT: nothing is reported
fine()
{
	check "$1" "$2"
	status_is 0
	stdout_is ''
}

it 'modules include only modules below them'
fine src/bind/a.c "$lgpl
#include \"bind/own.h\"
#include \"program/any.h\"
#include \"lang/lang.h\"
#include <string.h>"
fine src/replay/a.c "$lgpl
#include \"ring_buffer/ring_buffer.h\"
#include <pthread.h>"
breach src/base/a.c "$lgpl
#include \"event/event.h\"" 'base may not include event'
breach src/lang/a.c "$lgpl
#include \"program/program.h\"" 'lang may not include program'
breach src/program/a.c "$lgpl
#include \"tracing/tracing.h\"" 'program may not include tracing'
breach src/tracing/a.c "$lgpl
#include \"bind/bind.h\"" 'tracing may not include bind'
breach src/bind/a.c "$lgpl
#include \"run/run.h\"" 'bind may not include run'
breach src/run/a.c "$lgpl
#include \"bind/bind.h\"" 'run may not include bind'
breach src/run/a.c "$lgpl
#include \"replay/replay.h\"" 'run may not include replay'
breach src/cmd/a.c "$gpl
#include \"bind/bind.h\"" 'cmd may not include bind'
breach src/newmodule/a.c "$lgpl
#include \"base/base.h\"" 'newmodule may not include base'

it 'modules include only public headers of others'
breach src/bind/a.c "$lgpl
#include \"lang/lexer.h\"" 'lang/lexer.h is private to lang'
breach src/lang/a.c "$lgpl
#include \"base/span.h\"" 'base/span.h is private to base'
breach src/lang/a.c "$lgpl
#include \"trigger.h\"" 'lang may not include trigger'

it 'each library is used only in its place'
fine src/codec/codec_zlib.c "$lgpl
#include <zlib.h>"
breach src/trace_dat/open.c "$lgpl
#include <zlib.h>" 'zlib.h does not belong here'
breach src/replay/a.c "$lgpl
#include <traceevent/event-parse.h>" 'does not belong here'
breach src/run/a.c "$lgpl
#include <stdatomic.h>" 'does not belong here'
breach src/base/a.c "$lgpl
#include <glib.h>" 'neither of the C library'

it 'licences'
fine src/main.c "$gpl"
fine src/cmd/cmd_report.c "$gpl"
fine tests/unit/a_test.c "$lgpl"
breach src/main.c "$lgpl" 'GPL-2.0-only'
breach src/cmd/cmd_report.c "$lgpl" 'GPL-2.0-only'
breach src/lang/a.c "$gpl" 'LGPL-2.1-only'
breach src/lang/a.h '#ifndef X' 'SPDX'
breach plugins/hist-plugin.h "/* SPDX-License-Identifier: GPL-2.0-only */" 'LGPL-2.1-only'
breach tests/cli/a.t '#!/bin/sh' 'SPDX'

lines()
{
	printf '%s\n' "$1"
	yes ';' | head -n "$(($2 - 1))"
}

it 'sizes'
fine src/lang/a.c "$(lines "$lgpl" 600)"
breach src/lang/a.c "$(lines "$lgpl" 601)" '601 lines'
fine src/lang/a.h "$(lines '/* SPDX-License-Identifier: LGPL-2.1-only */' 200)"
breach src/lang/a.h "$(lines '/* SPDX-License-Identifier: LGPL-2.1-only */' 201)" '201 lines'
breach plugins/hist-plugin.h "$(lines '/* SPDX-License-Identifier: LGPL-2.1-only */' 131)" '131 lines'

it 'comments and white space'
fine src/lang/a.c "$lgpl
static const char *url = \"http://x\"; /* // */
/*
 *        // still a comment
 */
int f(int a,
$tab      int b);"
breach src/lang/a.c "$lgpl
int x; // why" '// comment'
breach src/lang/a.c "$lgpl
int x; " 'white space at the end'
breach src/lang/a.c "$lgpl
        int x;" 'indented with spaces'
breach src/lang/a.c "$lgpl
  ${tab}int x;" 'a tab after spaces'

it 'banned functions'
fine src/lang/a.c "$lgpl
/* strcpy(a, b) */ static const char *s = \"sprintf(x)\"; int snprintf_like(void); p->exit(1);"
for call in 'strcpy(a, b)' 'strcat(a, b)' 'sprintf(a, b)' 'gets (a)' 'alloca(n)'; do
	breach src/cmd/a.c "$gpl
int f(void) { $call; }" 'is banned'
done
for call in 'exit(1)' 'abort()' 'printf("x")' 'fputs("x", stderr)' 'fprintf(stdout, "x")' 'assert(x)' 'puts("x")'; do
	breach src/lang/a.c "$lgpl
int f(void) { $call; }" 'neither prints nor exits'
	fine src/cmd/a.c "$gpl
int f(void) { $call; }"
done
breach src/tracing_map/sort.c "$lgpl
int f(void) { qsort(a, n, s, c); }" 'qsort'

it 'names of files and structs are unique'
fine src/lang/a.c "$lgpl
struct one {
};"
printf '%s\n' "$lgpl" >"$tmp/tree/src/lang/b.c"
mkdir -p "$tmp/tree/src/event" "$tmp/tree/src/cmd"
printf '%s\n' "$lgpl" 'struct one {' '};' >"$tmp/tree/src/event/b.c"
run tests/check-layers "$tmp/tree"
status_is 1
stdout_has '^src/lang/b.c:1: src/event has a file b, too'
stdout_has '^src/lang/a.c:2: one is in src/event/b.c, too'

done_testing
