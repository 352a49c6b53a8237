// SPDX-License-Identifier: LGPL-2.1-only
/* spin NAME MS CGROUP: goes to a cgroup, takes a name, and is busy for this time. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	char path[256];
	double end;
	FILE *f;

	if (argc != 4)
		return 2;
	snprintf(path, sizeof(path), "%s/cgroup.procs", argv[3]);
	f = fopen(path, "w");
	if (!f || fprintf(f, "%d\n", getpid()) < 0 || fclose(f))
		return 1;
	prctl(PR_SET_NAME, argv[1]);
	for (end = now() + atof(argv[2]); now() < end;)
		;
	return 0;
}
