/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A fuzz target defines LLVMFuzzerTestOneInput() and includes this file. Linked without libFuzzer,
 * it is a program that prints the name of each file on the command line, and passes its contents to
 * the target.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((visibility("default"))) int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that must hold for any input. */
#define MUST(condition)                                                                 \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                        \
		}                                                                       \
	} while (0)

/* A path for this process, in the directory that tests/fuzz/run removes. */
static inline void fuzz_path(char *to, size_t size, const char *name)
{
	const char *tmpdir = getenv("TMPDIR");

	snprintf(to, size, "%s/%s.%d", tmpdir ? tmpdir : "/dev/shm", name, getpid());
}

/* Weak: libFuzzer's own main() replaces it. */
__attribute__((weak)) int main(int argc, char **argv)
{
	enum { MAX_INPUT = 1 << 26 };
	uint8_t *data = malloc(MAX_INPUT);

	for (int i = 1; i < argc && data; i++) {
		FILE *in = fopen(argv[i], "r");
		size_t n = in ? fread(data, 1, MAX_INPUT, in) : 0;

		if (!in) {
			perror(argv[i]);
			return 1;
		}
		fclose(in);
		puts(argv[i]);
		fflush(stdout);
		LLVMFuzzerTestOneInput(data, n);
	}
	free(data);
	return !data;
}

#endif
