// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The format of a plugin: passes a result in the structures of hist-plugin.h, which are stable, and
 * writes the plugin's output.
 */
#include "plugin/plugin.h"

_Static_assert((int)HIST_PLUGIN_SAVED == RESULT_SAVED && (int)HIST_PLUGIN_STACK == RESULT_STACK,
	       "ORDER enum hist_plugin_role, enum hist_plugin_type");

/* A format, as struct format's .arg. */
struct plugin_format {
	const struct hist_plugin_format *plugin;
	struct diags *diags;
};

/* State during printing. */
struct host {
	const struct plugin_format *format;
	const struct result *result;
	struct printer *p;
	struct hist_plugin_cell *cells;
	struct hist_plugin_column *stats;
	struct hist_plugin_frame *frames; /* of all stacks of the row */
	size_t max_frames;
};

static struct hist_plugin_text text_of(struct span s)
{
	return (struct hist_plugin_text){ s.s, s.s ? s.n : 0 };
}

static const struct hist_plugin_cell *row(const struct hist_plugin_histogram *h, size_t i)
{
	struct host *host = h->host;
	struct result_row r;
	size_t n = 0, n_frames = 0;

	if (i >= host->result->n_rows)
		return NULL;
	host->result->row(host->result, i, &r);
	for (size_t c = 0; c < host->result->n_columns; c++)
		n_frames += r.cells[c].n_frames;
	if (n_frames > host->max_frames) {
		struct hist_plugin_frame *frames =
			realloc(host->frames, n_frames * sizeof(*frames));

		if (!frames) {
			host->p->err = HIST_NOMEM;
			return NULL;
		}
		host->frames = frames;
		host->max_frames = n_frames;
	}
	for (size_t c = 0; c < host->result->n_columns; c++) {
		const struct result_cell *cell = &r.cells[c];
		bool text = host->result->columns[c].type == RESULT_TEXT;

		host->cells[c] = (struct hist_plugin_cell){
			.absent = cell->absent,
			.num = cell->num,
			.max = cell->max,
			.text = text_of(text ? cell->text : cell->label),
			.frames = host->frames + n,
			.n_frames = cell->n_frames,
		};
		for (size_t k = 0; k < cell->n_frames; k++)
			host->frames[n++] =
				(struct hist_plugin_frame){ cell->frames[k]->addr,
							    text_of(cell->frames[k]->symbol) };
	}
	return host->cells;
}

static int numbers(const struct hist_plugin_histogram *h, size_t i, size_t stat,
		   struct hist_plugin_numbers *to)
{
	const struct host *host = h->host;
	struct stat_summary s;
	struct result_row r;

	if (i >= host->result->n_rows || stat >= host->result->n_row_stats)
		return -1;
	host->result->row(host->result, i, &r);
	if (stat_summarise(r.sketches[stat], NULL, &s))
		return -1;
	*to = (struct hist_plugin_numbers){ .n = s.n,
					    .min = s.min.min,
					    .p50 = s.quantiles[0].min,
					    .p90 = s.quantiles[1].min,
					    .p99 = s.quantiles[2].min,
					    .p999 = s.quantiles[3].min,
					    .max = s.max.min,
					    .mean = s.mean,
					    .stddev = s.stddev };
	return 0;
}

static int write_text(const struct hist_plugin_out *out, const void *data, size_t len)
{
	struct host *host = out->host;

	strbuf_add(&host->p->buf, data, len);
	printer_flush(host->p);
	return host->p->err;
}

static int fail(const struct hist_plugin_out *out, const char *message)
{
	struct host *host = out->host;

	if (!host->p->err)
		host->p->err = diags_error(host->format->diags, -HIST_EINVAL, "format %s: %s",
					   host->format->plugin->name,
					   message ? message : "failed");
	return host->p->err;
}

static void run_print(struct host *host, const struct format_options *options,
		      const struct hist_plugin_column *columns)
{
	const struct result *r = host->result;
	const struct hist_plugin_histogram h = {
		.event = r->event,
		.instance = r->instance,
		.trigger = r->trigger,
		.kernel = r->info->kernel,
		.clock = r->info->clock,
		.from = r->from,
		.to = r->to,
		.sliced = options->sliced,
		.hits = r->hits,
		.drops = r->drops,
		.lost_events = r->info->lost_events,
		.columns = columns,
		.n_columns = r->n_columns,
		.n_keys = r->n_keys,
		.n_values = r->n_values,
		.sort_column = r->n_sort ? r->sort[0].column : r->n_keys,
		.n_rows = r->n_rows,
		.row = row,
		.host = host,
		.left_out = r->left_out,
		.stats = host->stats,
		.n_stats = r->n_row_stats,
		.numbers = numbers,
	};
	const struct hist_plugin_out out = { .write = write_text, .fail = fail, .host = host };

	if (host->format->plugin->print(&h, &out) && !host->p->err)
		fail(&out, NULL);
}

static void print(const struct format *format, const struct result *result,
		  const struct format_options *options, struct printer *p)
{
	scoped(free_scoped) struct hist_plugin_column *columns =
		calloc(result->n_columns, sizeof(*columns));
	struct host host = {
		.format = format->arg,
		.result = result,
		.p = p,
		.cells = calloc(result->n_columns, sizeof(*host.cells)),
		.stats = calloc(result->n_row_stats + 1, sizeof(*host.stats)),
	};

	for (size_t i = 0; columns && i < result->n_columns; i++)
		columns[i] = (struct hist_plugin_column){
			.name = result->columns[i].name,
			.modifier = result->columns[i].modifier,
			.unit = result->columns[i].unit,
			.role = (enum hist_plugin_role)result->columns[i].role,
			.type = (enum hist_plugin_type)result->columns[i].type,
			.is_signed = result->columns[i].is_signed,
		};
	for (size_t i = 0; host.stats && i < result->n_row_stats; i++)
		host.stats[i] =
			(struct hist_plugin_column){ .name = result->stats[i].name,
						     .unit = result->stats[i].unit,
						     .is_signed = result->stats[i].is_signed };
	if (columns && host.cells && host.stats)
		run_print(&host, options, columns);
	else
		p->err = HIST_NOMEM;
	free(host.cells);
	free(host.stats);
	free(host.frames);
}

static int add_format(format_array *formats, const struct hist_plugin_format *plugin,
		      struct arena *arena, struct diags *diags)
{
	struct plugin_format *pf = arena_alloc(arena, sizeof(*pf));

	if (!pf)
		return HIST_NOMEM;
	*pf = (struct plugin_format){ plugin, diags };
	return array_push(formats, ((struct format){ .name = plugin->name,
						     .one_table = plugin->one_histogram,
						     .print = print,
						     .whole_ranges = true,
						     .arg = pf }));
}

int plugin_formats_add(format_array *formats, const struct hist_plugins *plugins,
		       struct arena *arena, struct diags *diags)
{
	int err = 0;

	formats->n = 0;
	for (size_t i = 0; plugins && i < plugins->list.n; i++) {
		const struct hist_plugin *p = plugins->list.v[i].self;

		for (size_t f = 0; p && f < p->n_formats && !err; f++)
			err = add_format(formats, &p->formats[f], arena, diags);
	}
	return err;
}
