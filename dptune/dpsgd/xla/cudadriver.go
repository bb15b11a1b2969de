//go:build cgo && linux

package xla

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

// dplab_cuda_memory returns the bytes of the first device that CUDA shows to this process, 0
// without a driver or a device. It uses the driver's interface, which is stable.
static unsigned long long dplab_cuda_memory(const char *driver) {
	void *library = dlopen(driver, RTLD_LAZY | RTLD_LOCAL);
	if (library == NULL) return 0;
	int (*init)(unsigned) = (int (*)(unsigned))dlsym(library, "cuInit");
	int (*get)(int *, int) = (int (*)(int *, int))dlsym(library, "cuDeviceGet");
	int (*total)(size_t *, int) = (int (*)(size_t *, int))dlsym(library, "cuDeviceTotalMem_v2");
	if (init == NULL || get == NULL || total == NULL) return 0;
	int device = 0;
	size_t bytes = 0;
	if (init(0) != 0 || get(&device, 0) != 0 || total(&bytes, device) != 0) return 0;
	return bytes;
}

// dplab_cuda_name writes the name of the first device that CUDA shows to this process, and leaves
// name as it is without a driver or a device.
static void dplab_cuda_name(const char *driver, char *name, int size) {
	void *library = dlopen(driver, RTLD_LAZY | RTLD_LOCAL);
	if (library == NULL) return;
	int (*init)(unsigned) = (int (*)(unsigned))dlsym(library, "cuInit");
	int (*get)(int *, int) = (int (*)(int *, int))dlsym(library, "cuDeviceGet");
	int (*named)(char *, int, int) = (int (*)(char *, int, int))dlsym(library, "cuDeviceGetName");
	int device = 0;
	if (init == NULL || get == NULL || named == NULL) return;
	if (init(0) == 0 && get(&device, 0) == 0) named(name, size, device);
}

// dplab_cuda_version returns the version of CUDA that the driver supports, such as 13000, and 0
// without a driver.
static int dplab_cuda_version(const char *driver) {
	void *library = dlopen(driver, RTLD_LAZY | RTLD_LOCAL);
	if (library == NULL) return 0;
	int (*get)(int *) = (int (*)(int *))dlsym(library, "cuDriverGetVersion");
	int version = 0;
	if (get == NULL || get(&version) != 0) return 0;
	return version;
}
*/
import "C"

import (
	"fmt"
	"os"
	"sync"
	"unsafe"
)

const cudaLibrary = "libcuda.so.1"

// cudaMemory returns the bytes of the GPU that programs run on, 0 without a GPU.
var cudaMemory = sync.OnceValue(func() int64 { return driverMemory(cudaLibrary) })

func driverMemory(driver string) int64 {
	name := C.CString(driver)
	defer C.free(unsafe.Pointer(name))
	return int64(C.dplab_cuda_memory(name))
}

// deviceName returns the name of the GPU that programs run on, "" without a GPU.
func deviceName(driver string) string {
	name := C.CString(driver)
	defer C.free(unsafe.Pointer(name))
	var found [256]C.char
	C.dplab_cuda_name(name, &found[0], C.int(len(found)-1))
	return C.GoString(&found[0])
}

// driverVersion identifies the CUDA driver, by the version of the library and, if Linux shows it,
// that of the kernel's module.
func driverVersion(driver, module string) string {
	name := C.CString(driver)
	defer C.free(unsafe.Pointer(name))
	text, _ := os.ReadFile(module) // empty without such a file
	return fmt.Sprintf("CUDA %d\n%s", C.dplab_cuda_version(name), text)
}
