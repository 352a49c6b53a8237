// SPDX-License-Identifier: LGPL-2.1-only
/* Identifies namespaces by the inodes of /proc/self/ns. */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/pid_namespace.h"

/* kernel: PROC_PID_INIT_INO, PROC_CGROUP_INIT_INO; part of the ABI: programs compare with them */
#define INITIAL_INODE  0xEFFFFFFCu
#define INITIAL_CGROUP 0xEFFFFFFBu

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

bool cgroup_namespace_is_initial(void)
{
	struct stat st;

	return stat("/proc/self/ns/cgroup", &st) || st.st_ino == INITIAL_CGROUP;
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
