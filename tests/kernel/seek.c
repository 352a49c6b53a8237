// SPDX-License-Identifier: LGPL-2.1-only
/* seek N: a system call with each number below N, of a file that is not changed. */
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const long n = argc > 1 ? atol(argv[1]) : 0;

	for (long i = 0; i < n; i++)
		lseek(STDIN_FILENO, i, SEEK_SET);
	return 0;
}
