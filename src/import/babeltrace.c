// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads CTF traces with libbabeltrace2: a graph of its components, a source of each trace, and its
 * muxer, which puts their streams in order. One stream needs no muxer; that of version 2.0 ends
 * with an error where packets of a stream overlap.
 */
#include "import/babeltrace.h"

bool babeltrace_load(struct babeltrace *bt)
{
	static const struct library_function functions[] = {
#define BABELTRACE_FUNCTION(type, name, parameters) { #name, offsetof(struct babeltrace, name) },
#include "import/babeltrace.def"
#undef BABELTRACE_FUNCTION
	};

	return library_load(&bt->library, "libbabeltrace2.so.0", bt, functions,
			    ARRAY_SIZE(functions));
}

enum { QUIET = 0xff /* nothing is logged */ };

struct bt_graph {
	const struct babeltrace *bt;
	const struct babeltrace_reader *reader;
	void *graph;
	const void *ctf, *utils; /* plugins */
	const void **sources;
	size_t n_sources;
	int err; /* of the reader */
};

static int consume(void *iterator, void *arg)
{
	struct bt_graph *g = arg;
	const void **messages;
	u64 n;
	int status = g->bt->bt_message_iterator_next(iterator, &messages, &n);

	for (u64 i = 0; status == BT_OK && i < n; i++) {
		if (!g->err)
			g->err = g->reader->message(g->reader->arg, messages[i]);
		g->bt->bt_message_put_ref(messages[i]);
	}
	return g->err ? BT_ERROR : status;
}

static const void *plugin(const struct bt_graph *g, const char *name)
{
	const void *p = NULL;

	return g->bt->bt_plugin_find(name, true, false, true, true, false, &p) == BT_OK ? p : NULL;
}

/* Add the source of the trace in @dir. */
static bool add_source(struct bt_graph *g, const char *dir)
{
	const struct babeltrace *bt = g->bt;
	const void *class = bt->bt_plugin_borrow_source_component_class_by_name_const(g->ctf, "fs");
	void *params = bt->bt_value_map_create(), *inputs = bt->bt_value_array_create();
	const void **source = &g->sources[g->n_sources];
	char name[32];
	bool ok = class && params && inputs;

	snprintf(name, sizeof(name), "trace-%zu", g->n_sources);
	ok = ok && bt->bt_value_array_append_string_element(inputs, dir) == BT_OK &&
	     bt->bt_value_map_insert_entry(params, "inputs", inputs) == BT_OK &&
	     bt->bt_graph_add_source_component(g->graph, class, name, params, QUIET, source) ==
		     BT_OK;
	g->n_sources += ok;
	if (inputs)
		bt->bt_value_put_ref(inputs);
	if (params)
		bt->bt_value_put_ref(params);
	return ok;
}

static bool connect(const struct bt_graph *g, const void *from, const void *to)
{
	return from && to && g->bt->bt_graph_connect_ports(g->graph, from, to, NULL) == BT_OK;
}

/* Connect each stream with the muxer, and that with @to; a single stream directly. */
static bool connect_all(const struct bt_graph *g, const void *to)
{
	const struct babeltrace *bt = g->bt;
	const void *class =
		bt->bt_plugin_borrow_filter_component_class_by_name_const(g->utils, "muxer");
	const void *muxer = NULL;
	u64 n = 0, all = 0;

	for (size_t i = 0; i < g->n_sources; i++)
		all += bt->bt_component_source_get_output_port_count(g->sources[i]);
	if (all == 1)
		for (size_t i = 0; i < g->n_sources; i++)
			if (bt->bt_component_source_get_output_port_count(g->sources[i]))
				return connect(
					g,
					bt->bt_component_source_borrow_output_port_by_index_const(
						g->sources[i], 0),
					to);
	if (!all || !class ||
	    bt->bt_graph_add_filter_component(g->graph, class, "muxer", NULL, QUIET, &muxer))
		return false;
	for (size_t i = 0; i < g->n_sources; i++) {
		const u64 ports = bt->bt_component_source_get_output_port_count(g->sources[i]);

		/* the muxer has one free port at a time, the last one */
		for (u64 k = 0; k < ports; k++, n++)
			if (!connect(g,
				     bt->bt_component_source_borrow_output_port_by_index_const(
					     g->sources[i], k),
				     bt->bt_component_filter_borrow_input_port_by_index_const(muxer,
											      n)))
				return false;
	}
	return connect(g, bt->bt_component_filter_borrow_output_port_by_index_const(muxer, 0), to);
}

/* Build all; false: it failed, or a trace cannot be opened, and became NULL. */
static bool build(struct bt_graph *g, const char **dirs, size_t n)
{
	const struct babeltrace *bt = g->bt;
	const void *sink = NULL;

	g->graph = bt->bt_graph_create(bt->bt_get_maximal_mip_version());
	g->ctf = plugin(g, "ctf");
	g->utils = plugin(g, "utils");
	if (!g->graph || !g->ctf || !g->utils)
		return false;
	for (size_t i = 0; i < n; i++)
		if (dirs[i] && !add_source(g, dirs[i])) {
			dirs[i] = NULL;
			return false;
		}
	return bt->bt_graph_add_simple_sink_component(g->graph, "hist", NULL, consume, NULL, g,
						      &sink) == BT_OK &&
	       connect_all(g, bt->bt_component_sink_borrow_input_port_by_index_const(sink, 0));
}

/* The first cause of the error of this thread: what the others follow from. */
static void take_reason(const struct babeltrace *bt, struct strbuf *why)
{
	const void *error = bt->bt_current_thread_take_error();

	strbuf_reset(why);
	if (error && bt->bt_error_get_cause_count(error))
		strbuf_addstr(why, bt->bt_error_cause_get_message(
					   bt->bt_error_borrow_cause_by_index(error, 0)));
	if (error)
		bt->bt_error_release(error);
}

static void release(struct bt_graph *g)
{
	if (g->graph)
		g->bt->bt_graph_put_ref(g->graph);
	if (g->ctf)
		g->bt->bt_plugin_put_ref(g->ctf);
	if (g->utils)
		g->bt->bt_plugin_put_ref(g->utils);
	g->graph = NULL;
	g->ctf = g->utils = NULL;
	g->n_sources = 0;
}

static size_t count(const char *const *dirs, size_t n)
{
	return sum_of(i, n, dirs[i] != NULL);
}

int babeltrace_read(const struct babeltrace *bt, const char **dirs, size_t n,
		    const struct babeltrace_reader *reader, struct strbuf *why)
{
	struct bt_graph g = { .bt = bt, .reader = reader };
	int status = BT_ERROR;
	size_t left;
	bool built;

	g.sources = calloc(n + 1, sizeof(*g.sources));
	if (!g.sources)
		return HIST_NOMEM;
	bt->bt_logging_set_global_level(QUIET);
	do { /* a graph with an error is of no use */
		release(&g);
		left = count(dirs, n);
		built = build(&g, dirs, n);
		if (!built)
			take_reason(bt, why);
	} while (!built && count(dirs, n) < left && left > 1);
	if (built) {
		do
			status = bt->bt_graph_run_once(g.graph);
		while (status == BT_OK || status == BT_AGAIN);
		if (status != BT_END)
			take_reason(bt, why);
	} else if (!g.ctf) {
		strbuf_addstr(why, "its plugin for CTF is missing");
	}
	release(&g);
	free(g.sources);
	return g.err ?: status != BT_END;
}
