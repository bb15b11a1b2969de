//go:build cgo && linux

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pjrt.h"

extern pjrt_error *dplabCompile(pjrt_compile *args);
extern void dplabTake(uintptr_t key, void *bytes, size_t size);

static const pjrt_table *plugin; // as it was loaded

typedef pjrt_error *(*function)(void *args);

// call calls a function of the plugin, and returns whether it succeeded.
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

// take_text passes on the text that a function returns for an object.
static void take_text(int number, void *object, size_t key) {
	struct {
		size_t size;
		void *extensions;
		void *object;
		const char *text;
		size_t text_size;
	} args = {sizeof args, NULL, object, NULL, 0};
	if (call(number, &args)) dplabTake(key, (void *)args.text, args.text_size);
}

static void take_attribute(const pjrt_attribute *a, size_t key) {
	dplabTake(key, (void *)a->name, a->name_size);
	switch (a->type) {
	case STRING:
		dplabTake(key, (void *)a->value.text, a->count);
		break;
	case INT:
		dplabTake(key, (void *)&a->value.number, sizeof a->value.number);
		break;
	case INTS:
		dplabTake(key, (void *)a->value.numbers, a->count * sizeof *a->value.numbers);
		break;
	case FLOAT:
		dplabTake(key, (void *)&a->value, sizeof(float));
		break;
	case BOOL:
		dplabTake(key, (void *)&a->value, 1);
		break;
	}
}

static void take_device(void *device, size_t key) {
	struct {
		size_t size;
		void *extensions;
		void *device;
		void *description;
	} get = {sizeof get, NULL, device, NULL};
	if (!call(DEVICE_DESCRIPTION, &get)) return;
	take_text(DESCRIPTION_KIND, get.description, key);
	struct {
		size_t size;
		void *extensions;
		void *description;
		size_t count;
		const pjrt_attribute *attributes;
	} args = {sizeof args, NULL, get.description, 0, NULL};
	if (!call(DESCRIPTION_ATTRIBUTES, &args)) return;
	for (size_t i = 0; i < args.count; i++) take_attribute(&args.attributes[i], key);
}

void dplab_pjrt_describe(void *client, size_t key) {
	take_text(CLIENT_VERSION, client, key);
	struct {
		size_t size;
		void *extensions;
		void *client;
		void *const *devices;
		size_t count;
	} args = {sizeof args, NULL, client, NULL, 0};
	if (!call(CLIENT_DEVICES, &args)) return;
	for (size_t i = 0; i < args.count; i++) take_device(args.devices[i], key);
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
		dplabTake(key, args.bytes, args.bytes_size);
		if (args.release != NULL) args.release(args.owner);
	}
	struct {
		size_t size;
		void *extensions;
		void *executable;
	} destroy = {sizeof destroy, NULL, get.executable};
	call(EXECUTABLE_DESTROY, &destroy);
}
