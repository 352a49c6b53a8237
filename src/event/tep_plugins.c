// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Plugins of libtraceevent: prints records with the handlers of plugins.
 *
 * A handler trusts offsets and lengths in the record, so it receives a copy, followed by as many
 * zeros as a 16-bit offset plus a 16-bit length can reach. libtraceevent receives only the
 * fields of a format (event_format_shape()), so functions that plugins offer to print fmts are not
 * called.
 */

#include <traceevent/event-parse.h>

#include "event/event_db.h"

enum { REACH = 3 * (UINT16_MAX + 1) };

struct event_tep {
	struct tep_handle *tep;
	struct event_db *db;
	const struct event_plugin *plugins;
	size_t n_plugins;
	u8 *copy;
	size_t size, dirty; /* size of the copy; bytes at its start that need not be zero */
	char *symbol;       /* symbol of the last address that a handler looked up */
};

static char *resolve(void *arg, unsigned long long *addr, char **module)
{
	struct event_tep *et = arg;
	struct event_symbol sym;

	if (!event_symbol_at(et->db, *addr, &sym))
		return NULL;
	free(et->symbol);
	et->symbol = strndup(sym.name.s, sym.name.n);
	*addr = sym.addr;
	*module = NULL;
	return et->symbol;
}

void event_tep_free(struct event_tep *et)
{
	if (!et)
		return;
	for (size_t i = et->n_plugins; i-- > 0;)
		if (et->plugins[i].unload)
			et->plugins[i].unload(et->tep);
	tep_free(et->tep);
	free(et->copy);
	free(et->symbol);
	free(et);
}

int event_db_use_plugins(struct event_db *db, const struct event_plugin *plugins, size_t n)
{
	struct event_tep *et;

	event_tep_free(db->tep);
	db->tep = NULL;
	if (!n)
		return 0;
	et = calloc(1, sizeof(*et));
	if (!et)
		return HIST_NOMEM;
	et->db = db;
	et->tep = tep_alloc();
	if (!et->tep) {
		free(et);
		return HIST_NOMEM;
	}
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(et->tep, (int)db->machine.long_size);
	tep_set_file_bigendian(et->tep,
			       db->machine.big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_function_resolver(et->tep, resolve, et);
	et->plugins = plugins;
	et->n_plugins = n;
	for (size_t i = 0; i < n; i++)
		plugins[i].load(et->tep);
	db->tep = et;
	return 0;
}

const struct tep_event *event_tep_handled(struct event_db *db, const struct event_format *fmt)
{
	const struct tep_event *ev;
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	if (!db->tep || !fmt->text.s)
		return NULL;
	ev = tep_find_event_by_name(db->tep->tep, fmt->system, fmt->name);
	if (!ev && !event_format_shape(fmt, &text) &&
	    !tep_parse_event(db->tep->tep, text.s, text.len, fmt->system))
		ev = tep_find_event_by_name(db->tep->tep, fmt->system, fmt->name);
	return ev && ev->handler ? ev : NULL;
}

bool event_tep_print(struct event_db *db, const struct tep_event *ev, const void *rec, u32 len,
		     struct strbuf *out)
{
	struct tep_record record = { .record_size = (int)len, .size = (int)len };
	struct event_tep *et = db->tep;
	struct trace_seq s;
	bool ok;

	if (len > INT32_MAX - REACH)
		return false;
	/* the record, followed by zeros as far as any pointer in it can reach */
	if ((size_t)len + REACH > et->size) {
		if (!bytes_reserve(&et->copy, &et->size, (size_t)len + REACH))
			return false;
		et->dirty = et->size;
	}
	if (et->dirty > len)
		memset(et->copy + len, 0, et->dirty - len);
	memcpy(et->copy, rec, len);
	et->dirty = len;
	record.data = et->copy;
	trace_seq_init(&s);
	ok = s.buffer && ev->handler(&s, &record, (struct tep_event *)ev, ev->context) >= 0 &&
	     s.state == TRACE_SEQ__GOOD;
	if (ok)
		strbuf_add(out, s.buffer, s.len);
	trace_seq_destroy(&s);
	return ok;
}
