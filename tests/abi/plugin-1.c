// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A plugin of ABI 1, compiled with the header that was released with it. Its format "members" prints each
 * member that hist hands over, so that a member that moves or changes its meaning is detected. The code is never changed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hist-plugin-1.h"

static int put(const struct hist_plugin_out *out, const char *name, uint64_t n, const char *text)
{
	char line[300];
	int len = snprintf(line, sizeof(line), "%s %" PRIu64 " %s\n", name, n, text ? text : "-");

	return out->write(out, line, (size_t)len);
}

static int put_cell(const struct hist_plugin_out *out, const struct hist_plugin_cell *c)
{
	char text[100] = "";

	if (c->absent)
		return put(out, "absent", 0, NULL);
	if (c->text.n)
		memcpy(text, c->text.s, c->text.n < 99 ? c->text.n : 99);
	if (c->n_frames)
		return put(out, "frames", c->n_frames, NULL);
	return put(out, "cell", c->num, text) || put(out, "max", c->max, NULL);
}

static int members(const struct hist_plugin_histogram *h, const struct hist_plugin_out *out)
{
	int err = put(out, "event", 0, h->event) || put(out, "instance", 0, h->instance) ||
		  put(out, "trigger", 0, h->trigger) || put(out, "kernel", 0, h->kernel) ||
		  put(out, "clock", h->to > h->from, h->clock) || put(out, "sliced", (uint64_t)h->sliced, NULL) ||
		  put(out, "hits", h->hits, NULL) || put(out, "drops", h->drops, NULL) ||
		  put(out, "lost", h->lost_events, NULL) || put(out, "sort", h->sort_column, NULL) ||
		  put(out, "keys", h->n_keys, NULL) || put(out, "values", h->n_values, NULL);

	for (size_t i = 0; !err && i < h->n_columns; i++) {
		const struct hist_plugin_column *c = &h->columns[i];

		err = put(out, "column", c->role, c->name) || put(out, "modifier", c->type, c->modifier) ||
		      put(out, "unit", (uint64_t)c->is_signed, c->unit);
	}
	for (size_t i = 0; !err && i < h->n_rows; i++) {
		const struct hist_plugin_cell *row = h->row(h, i);

		if (!row)
			return out->fail(out, "no row");
		for (size_t k = 0; !err && k < h->n_columns; k++)
			err = put_cell(out, &row[k]);
	}
	return err;
}

static size_t halved(uint64_t num, int is_signed, char *buf, size_t size)
{
	return (size_t)snprintf(buf, size, "%s%" PRIu64 "/2", is_signed ? "s" : "u", num);
}

static const struct hist_plugin_format formats[] = {
	{ .name = "members", .summary = "all that a plugin sees", .print = members },
};
static const struct hist_plugin_modifier modifiers[] = {
	{ .name = "halved", .summary = "N/2", .render = halved },
};

const struct hist_plugin hist_plugin = {
	.abi = 1,
	.name = "abi-1",
	.formats = formats,
	.n_formats = 1,
	.modifiers = modifiers,
	.n_modifiers = 1,
};
