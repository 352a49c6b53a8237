#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Plain words: messages, comments and pages avoid the words that tests/house/words.pl lists.
# Comments name files that exist (tests/house/files.pl).
. tests/cli/lib.sh

# words_of NAME: the check of the text on standard input, as a file with that name.
words_of()
{
	cat >"$tmp/$1"
	run tests/house/words.pl "$tmp/$1"
}

it 'finds the words in comments and messages'
words_of a.c <<'END'
/* What stands behind a '%'. */
static const char *message = "%s is no list of CPUs: the file holds what is no key";
END
status_is 1
stdout_has 'a.c:1: "behind"'
stdout_has 'a.c:2: "is no list"'
words_of page.7 <<'END'
.TH A 7
Lost events
are said on standard error.
END
status_is 1
stdout_has 'page.7:3: "are said"'

it 'does not check code, examples and quoted text'
words_of b.c <<'END'
/* kernel: "the file is behind" is its own text; `nobody` is a user. */
int behind(const char *nobody) { return nobody == 0; }
END
status_is 0
words_of page.7 <<'END'
.EX
$ echo somebody
.EE
END
status_is 0

it 'the sources use plain words'
# shellcheck disable=SC2046 # names without blanks
long_run tests/house/words.pl $(find src plugins -name '*.[ch]') man/*.[1357] ./*.md \
	share/hist/recipes/*.hist examples/*.sh
checked [ "$status" = 0 ] || fail_file 'avoid these words:' "$tmp.out"

it 'finds a file in a comment that is not there'
printf '/* See\n * gone.c. */\n/* The kernel: gone.c */\n/* words.c: cmd.h */ char *s = "gone.h";\n' >"$tmp/a.c"
run tests/house/files.pl "$tmp/a.c"
status_is 1
stdout_has 'a.c:2: gone.c'
checked [ "$(grep -c gone "$tmp.out")" = 1 ] || fail_file 'one line:' "$tmp.out"

it 'comments name files that exist'
# shellcheck disable=SC2046 # names without blanks
run tests/house/files.pl $(find src plugins -name '*.[ch]')
checked [ "$status" = 0 ] || fail_file 'these files do not exist:' "$tmp.out"

done_testing
