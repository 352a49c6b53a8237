// SPDX-License-Identifier: GPL-2.0-only
/* A module that runs calls.h when it is loaded; its log has all results. */
#include <linux/kmod.h>
#include <linux/module.h>
#include <linux/trace_events.h>

#define say(...) pr_info("module-api: " __VA_ARGS__)

static int run(const char *script, const char *path, const char *text)
{
	static char *envp[] = { "PATH=/bin", NULL };
	char *argv[] = { "/bin/sh", "-c", (char *)script, (char *)path, (char *)text, NULL };

	return call_usermodehelper(argv[0], argv, envp, UMH_WAIT_PROC);
}

static void show(const char *path)
{
	say("--- %s\n", path);
	run(". /share/show", path, NULL);
}

static int put(const char *path, const char *text)
{
	return run("echo \"$1\" >>/sys/kernel/tracing/$0", path, text) ? 1 : 0;
}

#include "calls.h"

static int __init start(void)
{
	calls();
	return 0;
}

static void __exit end(void)
{
}

module_init(start);
module_exit(end);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Calls the functions that define and trace events");
