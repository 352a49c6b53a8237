// SPDX-License-Identifier: LGPL-2.1-only
/* Reads of descriptors that return short counts, are interrupted, or are larger than allowed. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/base.h"
#include "unit.h"

enum { SIZE = 200000 };

static u8 wanted[SIZE];

static void *write_pieces(void *arg)
{
	int fd = *(int *)arg;

	for (size_t at = 0, n; at < SIZE; at += n) {
		n = min_t(size_t, 1 + at % 4999, SIZE - at);
		if (!fd_write(fd, wanted + at, n))
			break;
		usleep(100);
	}
	close(fd);
	return NULL;
}

/* A pipe into which a thread writes all in pieces. */
static int open_pieces(pthread_t *thread, int fds[2])
{
	for (size_t i = 0; i < SIZE; i++)
		wanted[i] = (u8)(i * 7 + (i >> 8));
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(pthread_create(thread, NULL, write_pieces, &fds[1]), 0);
	return fds[0];
}

static void ignore(int sig)
{
	(void)sig;
}

/* Signals interrupt the reads all the time. */
static void interrupt_every(long usec)
{
	const struct itimerval every = { { 0, usec }, { 0, usec } };
	const struct sigaction action = { .sa_handler = ignore };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

static void test_read_pieces(void **state)
{
	u8 *got = malloc(2 * SIZE); /* more than is read: qemu-user checks the whole buffer */
	pthread_t thread;
	int fds[2], fd;

	(void)state;
	interrupt_every(300);
	fd = open_pieces(&thread, fds);
	assert_int_equal(fd_read(fd, got, 150000), 150000);
	assert_int_equal(fd_read(fd, got + 150000, SIZE), SIZE - 150000);
	assert_int_equal(fd_read(fd, got, 1), 0);
	interrupt_every(0);
	assert_memory_equal(got, wanted, SIZE);
	pthread_join(thread, NULL);
	close(fd);
	free(got);
}

static void test_append_pieces(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	pthread_t thread;
	int fds[2], fd;

	(void)state;
	interrupt_every(300);
	fd = open_pieces(&thread, fds);
	strbuf_addstr(&sb, "head");
	assert_int_equal(fd_append(fd, &sb, 70000), 70000);
	assert_int_equal(fd_append(fd, &sb, SIZE_MAX), SIZE - 70000);
	assert_int_equal(fd_append(fd, &sb, SIZE_MAX), 0);
	interrupt_every(0);
	assert_int_equal(sb.len, 4 + SIZE);
	assert_int_equal(sb.s[sb.len], 0);
	assert_memory_equal(sb.s + 4, wanted, SIZE);
	pthread_join(thread, NULL);
	close(fd);
	strbuf_release(&sb);
}

static void test_limit(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	int fd = fd_unnamed("fd_test");
	char at[3];

	(void)state;
	assert_true(fd_write(fd, "0123456789", 10));
	lseek(fd, 0, SEEK_SET);
	assert_true(fd_append_all(fd, &sb, 10));
	assert_string_equal(sb.s, "0123456789");
	lseek(fd, 0, SEEK_SET);
	errno = 0;
	assert_false(fd_append_all(fd, &sb, 9));
	assert_int_equal(errno, EFBIG);
	assert_int_equal(fd_pread(fd, at, 3, 8), 2);
	assert_memory_equal(at, "89", 2);
	close(fd);
	strbuf_release(&sb);
}

static void test_errors(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	int fd = open("/", O_RDONLY | O_CLOEXEC);
	char byte;

	(void)state;
	assert_int_equal(fd_read(fd, &byte, 1), -1);
	assert_int_equal(errno, EISDIR);
	assert_int_equal(fd_append(fd, &sb, 1), -1);
	assert_false(fd_append_all(-1, &sb, 1));
	assert_int_equal(errno, EBADF);
	assert_false(fd_append_close(fd, &sb, 1));
	assert_int_equal(errno, EISDIR);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_false(fd_append_close(open("/none", O_RDONLY | O_CLOEXEC), &sb, 1));
	assert_int_equal(errno, ENOENT);
	sb.failed = true;
	fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	assert_int_equal(fd_append(fd, &sb, 1), -1);
	assert_int_equal(errno, ENOMEM);
	close(fd);
	strbuf_release(&sb);
}

/* A directory can be listed again; the file in a parent need not exist. */
static void test_directories(void **state)
{
	int parent = fd_open_parent("/proc/none");

	(void)state;
	assert_true(parent >= 0);
	for (int i = 0; i < 2; i++) {
		DIR *list = fd_list(parent);

		assert_non_null(list);
		assert_string_equal(readdir(list)->d_name, ".");
		closedir(list);
	}
	assert_int_equal(fcntl(parent, F_GETFD), FD_CLOEXEC);
	close(parent);
	assert_int_equal(fd_open_parent("/none/file"), -1);
	assert_int_equal(errno, ENOENT);
	assert_null(fd_list(-1));
	assert_int_equal(errno, EBADF);
	parent = fd_open_parent("file");
	assert_true(parent >= 0);
	close(parent);
}

/* A path from a recording stays below the directory. */
static void test_no_way_out(void **state)
{
	static const char *const out[] = { "../a", "a/../b", "./a", "a//b", "/a",
					   "a/",   "",       "..",  "a/.." };
	char dir[] = "/tmp/hist.own.XXXXXX";
	int root, fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	root = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < ARRAY_SIZE(out); i++) {
		assert_int_equal(own_file_create(root, out[i]), -1);
		assert_int_equal(errno, EINVAL);
	}
	fd = own_file_create(root, "a/b");
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(unlinkat(root, "a/b", 0), 0);
	assert_int_equal(unlinkat(root, "a", AT_REMOVEDIR), 0);
	close(root);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_way_out),    cmocka_unit_test(test_read_pieces),
		cmocka_unit_test(test_append_pieces), cmocka_unit_test(test_limit),
		cmocka_unit_test(test_errors),        cmocka_unit_test(test_directories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
