// SPDX-License-Identifier: LGPL-2.1-only
/* Identifies namespaces of process ids by the inode of /proc/self/ns/pid. */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/pid_namespace.h"

/* kernel: PROC_PID_INIT_INO; part of the ABI, because programs compare with it */
#define INITIAL_INODE 0xEFFFFFFCu

/* The namespace of this process; 0: the initial one. */
static u64 own_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) || st.st_ino == INITIAL_INODE ? 0 : st.st_ino;
}

bool pid_namespace_is_initial(void)
{
	return !own_namespace();
}

void pid_namespace_add_id(struct strbuf *sb)
{
	u64 namespace = own_namespace();

	strbuf_addf(sb, "%d", (int)getpid());
	if (namespace)
		strbuf_addf(sb, ".%llu", (unsigned long long)namespace);
}

bool pid_namespace_id_is_dead(struct span id)
{
	struct span rest = id, pid_text = span_sep(&rest, ".");
	u64 pid, namespace = 0;

	if (!span_u64(pid_text, &pid) || !pid || pid > INT32_MAX ||
	    (rest.s && !span_u64(rest, &namespace)) || namespace != own_namespace())
		return false;
	return kill((pid_t)pid, 0) && errno == ESRCH;
}
