//go:build cgo && linux

package xla

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

// dplab_cuda_memory returns the bytes of the first device that CUDA shows to this process, by
// the driver's interface, which has never changed; 0 if there is no driver or no device.
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
*/
import "C"

import (
	"sync"
	"unsafe"
)

// cudaMemory returns the bytes of the GPU that programs run on, 0 if there is none.
var cudaMemory = sync.OnceValue(func() int64 { return driverMemory("libcuda.so.1") })

func driverMemory(driver string) int64 {
	name := C.CString(driver)
	defer C.free(unsafe.Pointer(name))
	return int64(C.dplab_cuda_memory(name))
}
