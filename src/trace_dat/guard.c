// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A file that shrinks while it is mapped would end the process with SIGBUS. The handler replaces
 * the missing page by a page of zeros, which every decoder treats as empty, and marks the file; its
 * reader calls trace_dat_shrank() at the end.
 *
 * This is the only place of the library with mutable state at file scope: a signal handler receives
 * only the address, and there is one handler per process. The list of mappings only grows (entries
 * are reused, never freed), so that the handler can traverse it without a lock while another thread
 * opens or closes a file.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include "trace_dat/internal.h"

struct trace_dat_guard {
	uintptr_t base; /* 0: this entry is free */
	size_t size;
	bool hit;
	struct trace_dat_guard *next;
};

static struct trace_dat_guard *guards;
static pthread_mutex_t guards_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction previous;
static uintptr_t page_mask;

static struct trace_dat_guard *find_guard(uintptr_t addr)
{
	struct trace_dat_guard *g = __atomic_load_n(&guards, __ATOMIC_ACQUIRE);

	for (; g; g = g->next) {
		uintptr_t base = __atomic_load_n(&g->base, __ATOMIC_ACQUIRE);

		if (base && addr >= base && addr - base < g->size)
			return g;
	}
	return NULL;
}

static void on_sigbus(int sig, siginfo_t *si, void *context)
{
	int saved = errno;
	uintptr_t page = (uintptr_t)si->si_addr & page_mask;
	struct trace_dat_guard *g = si->si_code > 0 ? find_guard((uintptr_t)si->si_addr) : NULL;

	if (g && mmap((void *)page, ~page_mask + 1, PROT_READ,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED) {
		__atomic_store_n(&g->hit, true, __ATOMIC_RELEASE);
		errno = saved;
		return;
	}
	if (previous.sa_flags & SA_SIGINFO && previous.sa_sigaction) {
		previous.sa_sigaction(sig, si, context);
	} else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
		previous.sa_handler(sig);
	} else {
		/* an address that is not guarded: terminate as without a handler */
		signal(sig, SIG_DFL);
		raise(sig);
	}
	errno = saved;
}

int trace_dat_guard_install(void)
{
	struct sigaction sa = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };

	if (page_mask)
		return 0;
	page_mask = ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
	sigemptyset(&sa.sa_mask);
	return sigaction(SIGBUS, &sa, &previous) ? -HIST_EIO : 0;
}

struct trace_dat_guard *trace_dat_guard_add(const void *base, size_t size)
{
	struct trace_dat_guard *g;

	pthread_mutex_lock(&guards_lock);
	for (g = guards; g && g->base; g = g->next)
		;
	if (!g) {
		g = calloc(1, sizeof(*g));
		if (g) {
			g->next = guards;
			__atomic_store_n(&guards, g, __ATOMIC_RELEASE);
		}
	}
	if (g) {
		g->size = size;
		g->hit = false;
		__atomic_store_n(&g->base, (uintptr_t)base, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&guards_lock);
	return g;
}

void trace_dat_guard_drop(struct trace_dat_guard *g)
{
	if (!g)
		return;
	pthread_mutex_lock(&guards_lock);
	__atomic_store_n(&g->base, 0, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&guards_lock);
}

bool trace_dat_guard_hit(const struct trace_dat_guard *g)
{
	return g && __atomic_load_n(&g->hit, __ATOMIC_ACQUIRE);
}
