// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Runs a command for each file. It is the leader of a process group of its own, so that what it
 * starts is killed with it, and Ctrl-C does not end it.
 */
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "live/runs.h"
#include "record/kept.h"

extern char **environ;

enum { N_OWN = 3 };

/* The environment of this process, with the variables of the command. */
static char **make_environment(char *own[N_OWN])
{
	size_t n = 0, to = 0;
	char **env;

	while (environ[n])
		n++;
	env = calloc(n + N_OWN + 1, sizeof(*env));
	for (size_t i = 0; env && i < n; i++)
		if (strncmp(environ[i], "HIST_FILE=", 10) != 0 &&
		    strncmp(environ[i], "HIST_EVENT=", 11) != 0 &&
		    strncmp(environ[i], "HIST_TIME=", 10) != 0)
			env[to++] = environ[i];
	for (size_t i = 0; env && i < N_OWN; i++)
		env[to++] = own[i];
	return env;
}

/* Signals as at the start of a program, and a process group of its own. */
static int set_attributes(posix_spawnattr_t *attr)
{
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	return posix_spawnattr_setsigmask(attr, &none) ?: posix_spawnattr_setsigdefault(attr, &all)
		       ?: posix_spawnattr_setpgroup(attr, 0)
		       ?: posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK |
								 POSIX_SPAWN_SETSIGDEF |
								 POSIX_SPAWN_SETPGROUP);
}

static int spawn(const struct live_runs *runs, char **env, pid_t *pid)
{
	char *const argv[] = { (char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
			       (char *)(uintptr_t)runs->command, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int err = posix_spawnattr_init(&attr);

	if (err)
		return err;
	err = posix_spawn_file_actions_init(&files);
	if (!err) {
		err = set_attributes(&attr)
			      ?: posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null",
								  O_RDONLY, 0);
		err = err ?: posix_spawn(pid, "/bin/sh", &files, &attr, argv, env);
		posix_spawn_file_actions_destroy(&files);
	}
	posix_spawnattr_destroy(&attr);
	return err;
}

void live_run(struct live_runs *runs, const struct live_run_of *of, struct strbuf *failure)
{
	struct live_run run = { .since = monotonic_ns(), .file = strdup(of->file) };
	char *own[N_OWN] = { NULL }, **env;
	int err = ENOMEM;

	if (asprintf(&own[0], "HIST_FILE=%s", of->file) < 0)
		own[0] = NULL;
	if (asprintf(&own[1], "HIST_EVENT=%s", of->event) < 0)
		own[1] = NULL;
	if (asprintf(&own[2], "HIST_TIME=%llu.%09llu", of->ts / 1000000000, of->ts % 1000000000) <
	    0)
		own[2] = NULL;
	env = make_environment(own);
	if (env && own[0] && own[1] && own[2] && run.file)
		err = spawn(runs, env, &run.pid);
	free(env);
	for (size_t i = 0; i < N_OWN; i++)
		free(own[i]);
	runs->started++;
	if (!err && array_push(&runs->all, run)) {
		kill(-run.pid, SIGKILL);
		waitpid(run.pid, NULL, 0);
		err = ENOMEM;
	}
	if (!err)
		return;
	runs->failed++;
	strbuf_addf(failure, "--exec: the command for %s cannot be run: %s", of->file,
		    strerror(err));
	free(run.file);
}

void live_runs_check(struct live_runs *runs, struct strbuf *failure)
{
	u64 now = monotonic_ns();

	for (size_t i = 0; i < runs->all.n;) {
		struct live_run *run = &runs->all.v[i];
		int status = 0;
		pid_t pid = waitpid(run->pid, &status, WNOHANG);

		if (!pid && now - run->since >= runs->limit_ns) {
			kill(-run->pid, SIGKILL);
			run->killed = true;
		}
		if (!pid) {
			i++;
			continue;
		}
		if (run->killed || status) {
			runs->failed++;
			if (failure->len)
				strbuf_addstr(failure, "; ");
			strbuf_addf(failure, "--exec: the command for %s ", run->file);
			if (run->killed)
				strbuf_addf(failure, "did not end within %g s and was killed",
					    (double)runs->limit_ns / 1e9);
			else if (WIFSIGNALED(status))
				strbuf_addf(failure, "was ended by signal %d", WTERMSIG(status));
			else
				strbuf_addf(failure, "ended with status %d", WEXITSTATUS(status));
		}
		free(run->file);
		*run = runs->all.v[--runs->all.n];
	}
}

void live_runs_release(struct live_runs *runs)
{
	for (size_t i = 0; i < runs->all.n; i++) {
		kill(-runs->all.v[i].pid, SIGKILL);
		waitpid(runs->all.v[i].pid, NULL, 0);
		free(runs->all.v[i].file);
	}
	array_release(&runs->all);
}
