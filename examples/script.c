// SPDX-License-Identifier: LGPL-2.1-only
/*
 * script TRACE.DAT SCRIPT [FORMAT]: what `hist report` does. Supports scripts, the built-in
 * formats, and those of plugins.
 *
 *	cc -o script script.c $(pkg-config --cflags --libs hist)
 */
#include <hist-plugins.h>
#include <stdio.h>
#include <stdlib.h>

static int print(void *arg, const void *data, size_t len)
{
	return fwrite(data, 1, len, arg) == len ? 0 : -1;
}

static void say(const struct diags *diags)
{
	for (size_t i = 0; i < hist_diags_count(diags); i++) {
		char *text = hist_diags_text(diags, i, "script", false);

		fputs(text ? text : "no memory\n", stderr);
		free(text);
	}
}

/* The whole file, to be freed; NULL if it cannot be read. */
static char *read_file(const char *name, size_t *len)
{
	FILE *f = fopen(name, "r");
	char *text = malloc(1 << 16);

	*len = f && text ? fread(text, 1, 1 << 16, f) : 0;
	if (!f || !text) {
		perror(name);
		free(text);
		text = NULL;
	}
	if (f)
		fclose(f);
	return text;
}

static int run(struct hist *h, const char *name, const char *format, struct diags *diags)
{
	struct hist_script *script = hist_script_new();
	struct hist_plugins *plugins = hist_plugins_new();
	struct hist_run_options options = { .format = format, .plugins = plugins };
	size_t len;
	char *text = read_file(name, &len);
	int err = script && plugins && text ? 0 : -HIST_EIO;

	if (!err && format && !hist_has_format(NULL, format))
		err = hist_plugins_load_dir(plugins, NULL, diags);
	if (!err)
		err = hist_script_parse(script, name, text, len, diags);
	if (!err)
		err = hist_run(h, script, &options, print, stdout, diags);
	free(text);
	hist_script_free(script);
	/* after the last use of the struct hist that was run with them */
	hist_close(h);
	hist_plugins_free(plugins);
	return err;
}

int main(int argc, char **argv)
{
	struct diags *diags = hist_diags_new();
	struct hist *h = NULL;
	int err;

	if (argc < 3 || !diags) {
		fprintf(stderr, "usage: script TRACE.DAT SCRIPT [FORMAT]\n");
		return 2;
	}
	err = hist_open(&(struct hist_options){ .inputs = (const char *const *)&argv[1],
						.n_inputs = 1 },
			&h, diags);
	if (!err)
		err = run(h, argv[2], argc > 3 ? argv[3] : NULL, diags);
	say(diags);
	hist_diags_free(diags);
	return err == -HIST_EREJECTED ? 1 : err ? 2 : 0;
}
