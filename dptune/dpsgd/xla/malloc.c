//go:build cgo && linux

// XLA allocates large blocks in every call. glibc maps each from the system and unmaps it at
// once, so pages are zeroed again and again: a third of the time of a step. Here the heap keeps
// them. This must happen before threads exist, so it is a constructor.
#include <stdlib.h>
#include <string.h>

#ifdef __GLIBC__
#include <malloc.h>

extern char **environ;

static int chosen_by_user(void) {
	const char *choice = getenv("DPLAB_MALLOC");
	if (choice != NULL && strcmp(choice, "system") == 0) return 1;
	for (char **e = environ; e != NULL && *e != NULL; e++)
		if (strncmp(*e, "MALLOC_", 7) == 0) return 1;
	return 0;
}

__attribute__((constructor)) static void keep_the_heap(void) {
	if (chosen_by_user()) return;
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, -1); // never
	mallopt(M_TOP_PAD, 64 << 20);
}

// Returns all free whole pages to the system, including those between blocks in use.
void dplab_trim_heap(void) {
	if (!chosen_by_user()) malloc_trim(0);
}
#else
void dplab_trim_heap(void) {}
#endif
