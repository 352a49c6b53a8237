// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Runs an import in a process of its own, whose library may abort or crash on a damaged file. The
 * process writes the output, and sends back what the caller has to know: how it ended, and all
 * diagnoses. It ends with its caller, and if the library takes more memory than any trace needs,
 * as it does for some packets whose sizes are damaged.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "import/apart.h"

enum { ANSWER_MAX = 1 << 24, MEMORY_MAX = 1 << 30 };

/* What the process sends: this, then the level and the text of each diagnosis. */
struct apart_answer {
	int err, number; /* errno */
	bool overran, cut, inexact;
	size_t n; /* diagnoses */
};

static void send_answer(const struct import_job *job, size_t before, int err, int fd)
{
	const struct diags *diags = job->diags;
	struct apart_answer a;
	struct strbuf sb = STRBUF_INIT;

	memset(&a, 0, sizeof(a)); /* also what is between its members */
	a.err = err;
	a.number = errno;
	a.overran = job->sink->cpus.overran;
	a.cut = job->result->cut;
	a.inexact = job->result->inexact;
	a.n = diags->list.n - before;
	strbuf_add(&sb, &a, sizeof(a));
	for (size_t i = before; i < diags->list.n; i++) {
		strbuf_addf(&sb, "%c%s", '0' + diags->list.v[i].level, diags->list.v[i].text);
		strbuf_fill(&sb, '\0', 1);
	}
	if (!sb.failed && !diags->failed)
		fd_write(fd, sb.s, sb.len);
}

/* Take over the diagnoses and the result; false: the process did not send all of it. */
static bool take_answer(struct import_job *job, struct span text, int *err)
{
	struct apart_answer a;

	if (text.n < sizeof(a))
		return false;
	memcpy(&a, text.s, sizeof(a));
	text = span_skip(text, sizeof(a));
	for (size_t i = 0; i < a.n; i++) {
		const char *end = memchr(text.s, '\0', text.n);

		if (!end || end == text.s)
			return false;
		diags_add(job->diags, (enum diag_level)(*text.s - '0'), "%s", text.s + 1);
		text = span_skip(text, (size_t)(end + 1 - text.s));
	}
	job->sink->cpus.overran = a.overran;
	job->result->cut = a.cut;
	job->result->inexact = a.inexact;
	errno = a.number;
	*err = a.err;
	return true;
}

int import_run_apart(const struct importer *importer, struct import_job *job,
		     const struct import_output *to, import_run_fn *run)
{
	const size_t before = job->diags->list.n;
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	int fds[2], err = -HIST_EIO;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return -HIST_EIO;
	pid = fork();
	if (!pid) {
		/* what the library prints before it aborts */
		const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		if (null >= 0)
			dup2(null, STDERR_FILENO);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		memory_limit(MEMORY_MAX);
		send_answer(job, before, run(importer, job, to), fds[1]);
		_exit(0);
	}
	close(fds[1]);
	if (pid > 0)
		fd_append_all(fds[0], &text, ANSWER_MAX);
	close(fds[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && !take_answer(job, strbuf_span(&text), &err)) {
		job->diags->list.n = before;
		err = diags_error(job->diags, -HIST_EFORMAT,
				  "%s: is damaged: the library that reads it failed",
				  job->in->name);
	}
	return err;
}
