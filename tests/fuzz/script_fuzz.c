// SPDX-License-Identifier: LGPL-2.1-only
/*
 * lang: arbitrary text as a script. If accepted, its paths are within the tracing directory, and
 * its positions within the text; a comment with names has neither.
 */
#include "fuzz.h"

#include "lang/script.h"

static bool is_sane(const struct script_cmd *cmd, size_t size)
{
	const char *p = cmd->path;

	if (cmd->verb == SCRIPT_NAMES)
		return !*p && cmd->text && cmd->len <= size && !cmd->text[cmd->len];
	if (cmd->verb == SCRIPT_TABLE || cmd->verb == SCRIPT_CHANGE) /* of no file */
		return !*p && cmd->line;
	if (!*p || *p == '/' || strstr(p, "//") || !strncmp(p, "../", 3) || strstr(p, "/../"))
		return false;
	if (cmd->path_offset > size || !cmd->line)
		return false;
	for (size_t i = 0; cmd->text && i <= cmd->len; i++)
		if (cmd->offsets[i] > size)
			return false;
	return cmd->verb == SCRIPT_CAT || (cmd->text && !cmd->text[cmd->len]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script script = SCRIPT_INIT;
	struct diags diags = DIAGS_INIT;
	int err = script_parse(&script, "fuzz", (const char *)data, size, &diags);

	if (!err == diags_has_error(&diags, 0))
		abort();
	for (size_t i = 0; i < script.cmds.n; i++)
		if (!is_sane(&script.cmds.v[i], size))
			abort();
	script_release(&script);
	diags_release(&diags);
	return 0;
}
