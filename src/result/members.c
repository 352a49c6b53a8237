// SPDX-License-Identifier: LGPL-2.1-only
/* What the objects of a saved result contain, for its writer (print) and its reader (saved). */
#include "result/store.h"

/* ORDER enum result_type */
static const char *const types[] = { "number", "range", "text", "stack", NULL };

const struct json_member column_members[COLUMN_MEMBERS] = {
	{ "name", JSON_STR, offsetof(struct result_column, name), NULL },
	{ "type", JSON_WORD, offsetof(struct result_column, type), types },
	{ "signed", JSON_BOOL, offsetof(struct result_column, is_signed), NULL },
	{ "modifier", JSON_STR, offsetof(struct result_column, modifier), NULL },
	{ "unit", JSON_STR, offsetof(struct result_column, unit), NULL },
	{ "text", JSON_FLAG, offsetof(struct result_column, has_label), NULL },
	{ "tracked", JSON_FLAG, offsetof(struct result_column, tracked), NULL },
	{ "hidden", JSON_FLAG, offsetof(struct result_column, hidden), NULL },
};

const struct json_member stat_members[STAT_MEMBERS] = {
	{ "name", JSON_STR, offsetof(struct result_stat, name), NULL },
	{ "signed", JSON_BOOL, offsetof(struct result_stat, is_signed), NULL },
	{ "unit", JSON_STR, offsetof(struct result_stat, unit), NULL },
};

const struct json_member exemplars_members[EXEMPLARS_MEMBERS] = {
	{ "name", JSON_STR, offsetof(struct result_exemplars, name), NULL },
	{ "signed", JSON_BOOL, offsetof(struct result_exemplars, is_signed), NULL },
	{ "unit", JSON_STR, offsetof(struct result_exemplars, unit), NULL },
	{ "max", JSON_U32, offsetof(struct result_exemplars, max), NULL },
};

const struct json_member snapshot_members[SNAPSHOT_MEMBERS] = {
	{ "handler", JSON_STR, offsetof(struct result_snapshot, handler), NULL },
	{ "variable", JSON_STR, offsetof(struct result_snapshot, variable), NULL },
	{ "value", JSON_NUMBER, offsetof(struct result_snapshot, value), NULL },
};

const struct json_member info_members[INFO_MEMBERS] = {
	{ "lost_events", JSON_U64, offsetof(struct result_info, lost_events), NULL },
	{ "lost_unknown", JSON_FLAG, offsetof(struct result_info, lost_unknown), NULL },
	{ "inexact", JSON_FLAG, offsetof(struct result_info, inexact), NULL },
};
