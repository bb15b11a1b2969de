// The part of PJRT's C interface that is used here: the head of its table of functions, functions by
// number, and their arguments. Minor versions only add to the end of the table and of arguments. The
// numbers are valid from 0.81, the oldest version that package xla accepts.
#include <stddef.h>
#include <stdint.h>

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
	CLIENT_VERSION = 14,
	CLIENT_DEVICES = 16,
	CLIENT_COMPILE = 20,
	DESCRIPTION_ATTRIBUTES = 25,
	DESCRIPTION_KIND = 26,
	DEVICE_DESCRIPTION = 29,
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

// pjrt_attribute is a named value of a device.
typedef struct {
	size_t size;
	void *extensions;
	const char *name;
	size_t name_size;
	int type; // STRING to BOOL
	union {
		const char *text;
		const int64_t *numbers;
		int64_t number; // or a float or a bool in its first bytes
	} value;
	size_t count; // of bytes or numbers
} pjrt_attribute;

enum { STRING, INT, INTS, FLOAT, BOOL };

typedef struct {
	size_t size;
	void *extensions;
	void *client;
	const pjrt_program *program;
	const char *options;
	size_t options_size;
	void *loaded; // out
} pjrt_compile;

// dplab_pjrt_load loads a plugin and returns a copy of its table with the Go function dplabCompile for
// compiling, or NULL and the reason.
const void *dplab_pjrt_load(const char *path, const char **fault);

// dplab_pjrt_compile calls the plugin to compile.
pjrt_error *dplab_pjrt_compile(pjrt_compile *args);

// dplab_pjrt_deserialize returns the program of some bytes, ready to run, or NULL.
void *dplab_pjrt_deserialize(void *client, const void *bytes, size_t size);

// dplab_pjrt_describe passes the plugin's description of itself and of the client's devices to a
// function, piece by piece.
void dplab_pjrt_describe(void *client, size_t key);

// dplab_pjrt_serialize passes the bytes of a program to a function, unless the plugin cannot write it out.
void dplab_pjrt_serialize(void *loaded, size_t key);
