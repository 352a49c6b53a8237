// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Statements that libtracefs understands have its triggers. It generates them only while it
 * "creates" an event, so it gets a directory with empty files. The names of variables, the size of
 * the map, blanks and superfluous parentheses may differ.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <tracefs.h>
#include <unistd.h>

#include "tracing_dir.h"

#include "sql_events.h"

static const char *const statements[] = {
	"SELECT s.pid, (e.TIMESTAMP_USECS - s.TIMESTAMP_USECS) AS us FROM sched_waking AS s JOIN sched_switch AS e ON s.pid = e.next_pid",
	"select s.pid as p, e.next_prio, (e.TIMESTAMP - s.TIMESTAMP) AS lat from sched_waking as s join sched_switch as e on s.pid = e.next_pid where s.prio < 100",
	"SELECT sched_waking.pid, sched_switch.next_comm AS comm FROM sched_waking JOIN sched_switch ON sched_waking.pid = sched_switch.next_pid WHERE sched_waking.prio < 100 && (sched_switch.next_pid != 0 || sched_switch.prev_pid == 3)",
	"SELECT s.prio AS a, s.pid AS b, (e.next_prio - s.prio) AS c FROM sched.sched_waking AS s JOIN sched.sched_switch AS e ON s.pid = e.next_pid WHERE !(s.prio < 100 || s.comm == \"x\") && e.prev_comm ~ \"a*\"",
	"SELECT (e.next_prio + s.prio) AS sum FROM sched_waking AS s JOIN sched_switch AS e ON s.pid = e.next_pid WHERE e.prev_state & 3",
	"SELECT s.pid, TIMESTAMP_DELTA_USECS AS us, s.comm FROM sched_waking s JOIN sched_switch AS e ON s.pid = e.next_pid",
};

static struct tep_handle *new_tep(void)
{
	struct tep_handle *tep = tep_alloc();

	assert_non_null(tep);
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, 8);
	tep_parse_event(tep, format_waking, strlen(format_waking), "sched");
	tep_parse_event(tep, format_switch, strlen(format_switch), "sched");
	return tep;
}

static void make_files(const char *dir)
{
	static const char *const files[] = { "synthetic_events", "dynamic_events",
					     "events/sched/sched_waking/trigger",
					     "events/sched/sched_switch/trigger" };
	char path[256];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		int fd;

		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		for (char *slash = path + strlen(dir); (slash = strchr(slash + 1, '/'));) {
			*slash = '\0';
			mkdir(path, 0700);
			*slash = '/';
		}
		fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
		assert_true(fd >= 0);
		close(fd);
	}
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

/* Variables by the order of their first use; without blanks, parentheses of filters, and sizes. */
static void normalise(const char *text, struct strbuf *names, struct strbuf *out)
{
	const char *filter = strstr(text, " if ");

	while (*text) {
		size_t n = 0, number = 0;
		struct strbuf name = STRBUF_INIT;

		while (is_alnum(text[n]) || text[n] == '_')
			n++;
		if (n && (!strncmp(text, "__", 2) || !strncmp(text, "lat_", 4))) {
			strbuf_addf(&name, "%.*s;", (int)n, text);
			if (!strstr(names->s, name.s))
				strbuf_addstr(names, name.s);
			for (const char *p = names->s; p < strstr(names->s, name.s); p++)
				number += *p == ';';
			strbuf_addf(out, "VAR%zu", number);
		} else if (!strncmp(text, ":size=16384", 11)) {
			n = 0;
			text += 11;
			strbuf_release(&name);
			continue;
		} else if (!strncmp(text, ".trace(lat,", 11)) {
			strbuf_addstr(out, ".lat(");
			n = 11;
		} else if (n ||
			   !(*text == ' ' || (filter && text > filter && strchr("()", *text)))) {
			strbuf_add(out, text, n ? n : 1);
		}
		text += n ? n : 1;
		strbuf_release(&name);
	}
}

static void assert_alike(const char *ours, const char *theirs, struct strbuf *our_names,
			 struct strbuf *their_names)
{
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;

	normalise(ours, our_names, &a);
	normalise(theirs, their_names, &b);
	assert_string_equal(a.s, b.s);
	strbuf_release(&a);
	strbuf_release(&b);
}

static void check_statement(struct tep_handle *tep, const char *query)
{
	struct sql_events events = { .n = 2,
				     .v = { { "sched", "sched_waking", span_of(format_waking) },
					    { "sched", "sched_switch", span_of(format_switch) } } };
	const struct sql_request request = {
		.query = query, .name = "lat", .find = sql_events_find, .find_arg = &events
	};
	struct strbuf our_names = STRBUF_INIT, their_names = STRBUF_INIT;
	struct arena arena = ARENA_INIT;
	struct diags diags = DIAGS_INIT;
	struct sql_result result;
	char *message = NULL;
	struct tracefs_synth *synth = tracefs_sql(tep, "lat", query, &message);

	free(message);
	assert_int_equal(sql_translate(&request, &arena, &result, &diags), 0);
	if (strstr(query, "TIMESTAMP_DELTA")) /* not in libtracefs 1.6 */
		assert_true(!synth || result.n == 3);
	else
		assert_non_null(synth);
	if (synth) {
		assert_int_equal(tracefs_synth_create(synth), 0);
		assert_alike(result.writes[1].text, tracefs_synth_show_start_hist(synth),
			     &our_names, &their_names);
		assert_alike(result.writes[2].text, tracefs_synth_show_end_hist(synth), &our_names,
			     &their_names);
		tracefs_synth_free(synth);
	}
	strbuf_release(&our_names);
	strbuf_release(&their_names);
	diags_release(&diags);
	arena_release(&arena);
}

static void test_same_triggers(void **state)
{
	const char *tmp = getenv("TMPDIR");
	struct tep_handle *tep = new_tep();
	char dir[128];

	(void)state;
	snprintf(dir, sizeof(dir), "%.100s/sql.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(dir));
	make_files(dir);
	tracefs_set_tracing_dir(dir);
	for (size_t i = 0; i < ARRAY_SIZE(statements); i++)
		check_statement(tep, statements[i]);
	tracefs_set_tracing_dir(NULL);
	tep_free(tep);
	nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_same_triggers) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
