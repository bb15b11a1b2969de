//go:build cgo && linux

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pjrt.h"

extern pjrt_error *dplabCompile(pjrt_compile *args);
extern void dplabSerialized(uintptr_t key, void *bytes, size_t size);

static const pjrt_table *plugin; // as it was loaded

typedef pjrt_error *(*function)(void *args);

// call calls a function of the plugin. It returns whether that worked.
static int call(int number, void *args) {
	pjrt_error *fault = ((function)plugin->functions[number])(args);
	if (fault == NULL) return 1;
	struct {
		size_t size;
		void *extensions;
		pjrt_error *fault;
	} destroy = {sizeof destroy, NULL, fault};
	((void (*)(void *))plugin->functions[ERROR_DESTROY])(&destroy);
	return 0;
}

const void *dplab_pjrt_load(const char *path, const char **fault) {
	void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (library == NULL) {
		*fault = dlerror();
		return NULL;
	}
	const pjrt_table *(*get)(void) = (const pjrt_table *(*)(void))dlsym(library, "GetPjrtApi");
	const pjrt_table *table = get == NULL ? NULL : get();
	if (table == NULL || table->size < offsetof(pjrt_table, functions) + (DESERIALIZE_AND_LOAD + 1) * sizeof(void *)) {
		*fault = "is no PJRT plugin, or too old";
		return NULL;
	}
	pjrt_table *copy = malloc(table->size);
	if (copy == NULL) {
		*fault = "out of memory";
		return NULL;
	}
	memcpy(copy, table, table->size);
	copy->functions[CLIENT_COMPILE] = (void *)dplabCompile;
	plugin = table;
	return copy;
}

pjrt_error *dplab_pjrt_compile(pjrt_compile *args) { return ((function)plugin->functions[CLIENT_COMPILE])(args); }

void *dplab_pjrt_deserialize(void *client, const void *bytes, size_t size) {
	struct {
		size_t size;
		void *extensions;
		void *client;
		const void *bytes;
		size_t bytes_size;
		void *loaded;
		const void *options;
		size_t options_size;
	} args = {sizeof args, NULL, client, bytes, size, NULL, NULL, 0};
	return call(DESERIALIZE_AND_LOAD, &args) ? args.loaded : NULL;
}

void dplab_pjrt_serialize(void *loaded, size_t key) {
	struct {
		size_t size;
		void *extensions;
		void *loaded;
		void *executable;
	} get = {sizeof get, NULL, loaded, NULL};
	if (!call(LOADED_GET_EXECUTABLE, &get)) return;
	struct {
		size_t size;
		void *extensions;
		void *executable;
		void *bytes;
		size_t bytes_size;
		void *owner;
		void (*release)(void *owner);
	} args = {sizeof args, NULL, get.executable, NULL, 0, NULL, NULL};
	if (call(EXECUTABLE_SERIALIZE, &args)) {
		dplabSerialized(key, args.bytes, args.bytes_size);
		if (args.release != NULL) args.release(args.owner);
	}
	struct {
		size_t size;
		void *extensions;
		void *executable;
	} destroy = {sizeof destroy, NULL, get.executable};
	call(EXECUTABLE_DESTROY, &destroy);
}
