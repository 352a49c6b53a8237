// SPDX-License-Identifier: LGPL-2.1-only
/* The table of built-in formats. */
#include "print/print.h"

static const struct format *const formats[] = { &format_json, &format_ndjson,   &format_csv,
						&format_tsv,  &format_csv_safe, &format_tsv_safe };

const struct format *format_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}

const struct format *format_at(size_t i)
{
	return i < ARRAY_SIZE(formats) ? formats[i] : NULL;
}
