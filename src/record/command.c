// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Receives signals, and starts the command: forks a child that waits, so that filters can use its
 * pid, and later collects its exit status.
 *
 * The child waits for a byte, changes the user, and calls exec. If the recorder dies before it has
 * written the byte, the child reads the end of the file and exits. A later error is passed as errno
 * through a pipe that exec closes.
 *
 * INT, TERM, HUP, QUIT and CHLD arrive through a signalfd: no code runs in a handler, and a
 * recording ends only between two of its steps. Writing to a closed pipe or a full disk makes
 * write() fail instead of raising a signal. kernel: a blocked signal is queued even if it is
 * ignored, so INT works in a background job of a script; HUP under nohup must be excluded
 * explicitly.
 */
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "record/command.h"

/* --- signals --- */

int signals_open(struct signals *sig, bool ask, struct diags *diags)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction hup;
	sigset_t set;

	*sig = (struct signals){ .fd = -1 };
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (sigaction(SIGHUP, NULL, &hup) || hup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	if (ask)
		sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &sig->old_mask);
	sigaction(SIGPIPE, &ignore, &sig->old_pipe);
	sigaction(SIGXFSZ, &ignore, &sig->old_xfsz);
	sig->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return sig->fd < 0 ? diags_error(diags, -HIST_EIO, "cannot open a signalfd: %s",
					 strerror(errno))
			   : 0;
}

bool signals_read(struct signals *sig)
{
	struct signalfd_siginfo info;
	bool stop = false;

	while (read(sig->fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		if (info.ssi_signo == SIGUSR1) {
			sig->asked = true;
			continue;
		}
		stop = true;
		sig->last = (int)info.ssi_signo;
		sig->last_by_process = info.ssi_code <= 0; /* SI_USER, not SI_KERNEL */
		if (!sig->count++)
			sig->first = sig->last;
	}
	return stop;
}

/* Restore mask and dispositions, for the command. */
static void signals_restore(const struct signals *sig)
{
	sigaction(SIGPIPE, &sig->old_pipe, NULL);
	sigaction(SIGXFSZ, &sig->old_xfsz, NULL);
	sigprocmask(SIG_SETMASK, &sig->old_mask, NULL);
}

void signals_close(struct signals *sig)
{
	fd_close(sig->fd);
	signals_restore(sig);
	sig->fd = -1;
}

/* --- the command --- */

/* Looked up before the fork, so that the child has little to do. */
static int find_user(struct command *c, const char *user, struct diags *diags)
{
	c->user = getpwnam(user);
	if (!c->user)
		return diags_error(diags, -HIST_ENOENT, "--user: unknown user %s", user);
	getgrouplist(user, c->user->pw_gid, NULL, &c->n_groups);
	c->groups = calloc((size_t)max_t(int, c->n_groups, 1), sizeof(*c->groups));
	if (!c->groups)
		return -HIST_ENOMEM;
	if (getgrouplist(user, c->user->pw_gid, c->groups, &c->n_groups) < 0)
		c->n_groups = 0;
	return 0;
}

static int become(const struct command *c)
{
	const struct passwd *pw = c->user;

	if (!pw)
		return 0;
	/* running as the caller needs no privilege */
	if (pw->pw_uid != getuid() &&
	    (setgroups((size_t)c->n_groups, c->groups) || setgid(pw->pw_gid) || setuid(pw->pw_uid)))
		return -1;
	return setenv("HOME", pw->pw_dir, 1) || setenv("USER", pw->pw_name, 1) ||
	       setenv("LOGNAME", pw->pw_name, 1) || setenv("SHELL", pw->pw_shell, 1);
}

static _Noreturn void run_child(const struct command *c, char *const *argv,
				const struct signals *sig)
{
	char byte;
	ssize_t n;
	int err;

	do {
		n = read(c->go, &byte, 1);
	} while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(125);
	signals_restore(sig);
	if (become(c) == 0)
		execvp(argv[0], argv);
	err = errno;
	if (write(c->failed, &err, sizeof(err)) < 0)
		_exit(125);
	_exit(err == ENOENT ? 127 : 126);
}

int command_fork(struct command *c, char *const *argv, const char *user, const struct signals *sig,
		 struct diags *diags)
{
	int go[2] = { -1, -1 }, failed[2] = { -1, -1 };
	bool child;
	int err;

	*c = (struct command)COMMAND_INIT;
	err = user ? find_user(c, user, diags) : 0;
	if (err)
		return err;
	c->pid = pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC) ? -1 : fork();
	err = c->pid < 0 ? errno : 0;
	/*
	 * Each side closes the other's end of a pipe; otherwise the child would not notice when the
	 * parent closes its end.
	 */
	child = c->pid == 0;
	c->go = go[!child];
	c->failed = failed[child];
	fd_close(go[child]);
	fd_close(failed[!child]);
	if (child)
		run_child(c, argv, sig);
	return err ? diags_error(diags, -HIST_EIO, "cannot start a process: %s", strerror(err)) : 0;
}

int command_go(struct command *c)
{
	int err = 0;
	ssize_t n = write(c->go, "g", 1);

	if (n != 1)
		return errno;
	do {
		n = read(c->failed, &err, sizeof(err));
	} while (n < 0 && errno == EINTR);
	close(c->go);
	c->go = -1;
	return n == sizeof(err) ? err : 0;
}

bool command_ended(struct command *c)
{
	if (c->pid > 0 && waitpid(c->pid, &c->status, WNOHANG) == c->pid) {
		c->pid = 0;
		c->ended = true;
	}
	return c->ended;
}

void command_signal(const struct command *c, int signal)
{
	if (c->pid > 0)
		kill(c->pid, signal);
}

void command_release(struct command *c)
{
	bool held = c->go >= 0;

	fd_close(c->go);
	if (held && c->pid > 0)
		waitpid(c->pid, &c->status, 0);
	fd_close(c->failed);
	free(c->groups);
	*c = (struct command)COMMAND_INIT;
}
