// The part of PJRT's C interface that is needed here: of its table of functions the head and those by number, and their arguments.
// Minor versions add to the end of the table and of arguments only; the numbers hold for 0.81, the oldest that package xla takes.
#include <stddef.h>

typedef struct pjrt_error pjrt_error;

typedef struct {
	size_t size;
	void *extensions;
	struct {
		size_t size;
		void *extensions;
		int major, minor;
	} version;
	void *functions[];
} pjrt_table;

enum {
	ERROR_DESTROY = 0,
	CLIENT_COMPILE = 20,
	EXECUTABLE_DESTROY = 40,
	EXECUTABLE_SERIALIZE = 49,
	LOADED_GET_EXECUTABLE = 51,
	DESERIALIZE_AND_LOAD = 56,
};

typedef struct {
	size_t size;
	void *extensions;
	const char *code;
	size_t code_size;
	const char *format;
	size_t format_size;
} pjrt_program;

typedef struct {
	size_t size;
	void *extensions;
	void *client;
	const pjrt_program *program;
	const char *options;
	size_t options_size;
	void *loaded; // out
} pjrt_compile;

// dplab_pjrt_load loads a plugin and returns a copy of its table that compiles by the Go function dplabCompile; or NULL, and why.
const void *dplab_pjrt_load(const char *path, const char **fault);

// dplab_pjrt_compile has the plugin compile.
pjrt_error *dplab_pjrt_compile(pjrt_compile *args);

// dplab_pjrt_deserialize returns the program that bytes are of, ready to run, or NULL.
void *dplab_pjrt_deserialize(void *client, const void *bytes, size_t size);

// dplab_pjrt_serialize has a function take the bytes of a program; not, if the plugin cannot write it out.
void dplab_pjrt_serialize(void *loaded, size_t key);
