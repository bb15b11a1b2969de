//go:build cgo && linux

package xla

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

// The head of the PJRT C API, which has never changed.
typedef struct {
	size_t size;
	void *extensions;
	struct {
		size_t size;
		void *extensions;
		int major;
		int minor;
	} version;
} pjrt_head;

// dplab_pjrt_version returns NULL, or an error message.
static const char *dplab_pjrt_version(const char *path, int *major, int *minor) {
	void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (library == NULL) return dlerror();
	const pjrt_head *(*get)(void) = (const pjrt_head *(*)(void))dlsym(library, "GetPjrtApi");
	if (get == NULL) return "has no function GetPjrtApi: it is not a PJRT plugin";
	const pjrt_head *api = get();
	if (api == NULL) return "GetPjrtApi returns nothing";
	*major = api->version.major;
	*minor = api->version.minor;
	return NULL;
}
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// The versions of the PJRT C API. go-xla v0.4.3 is written for 0.104, and plugins of 0.81, 0.106
// and 0.115 were tested. Minor versions are backward compatible.
const (
	versionMajor = 0
	oldestMinor  = 81
)

// checkVersion loads the library and checks the version of its interface.
func checkVersion(path string) error {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var major, minor C.int
	if fault := C.dplab_pjrt_version(name, &major, &minor); fault != nil {
		return errors.New(C.GoString(fault))
	}
	if major != versionMajor || minor < oldestMinor {
		return fmt.Errorf("has version %d.%d of the PJRT interface: must be %d.%d or a later %d.x", major, minor, versionMajor, oldestMinor, versionMajor)
	}
	return nil
}
