//go:build cgo && linux

package programs

/*
#cgo LDFLAGS: -ldl
#include <stdint.h>
#include <stdlib.h>
#include "pjrt.h"
*/
import "C"

import (
	"bufio"
	"debug/elf"
	"fmt"
	"os"
	"runtime"
	"runtime/cgo"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/gomlx/go-xla/pjrt"
)

// kept is where the process keeps programs of its one plugin. It is set before the first is compiled.
var kept struct {
	folder  *folder
	machine []byte // all that the code depends on besides the program
	plugin  string
}

var compiled, found atomic.Int64

// Counts returns how many programs this process has had compiled, and how many it took from files instead.
func Counts() (compiledHere, foundInFiles int) { return int(compiled.Load()), int(found.Load()) }

// Keep has go-xla load a plugin such that compiled programs are kept. It comes before the plugin is used, for one plugin of a process;
// for a second it does nothing.
func Keep(path string) error {
	if kept.plugin != "" {
		return nil
	}
	folder, err := openFolder()
	if folder == nil || err != nil {
		return err
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var fault *C.char
	table := C.dplab_pjrt_load(name, &fault)
	if table == nil {
		return fmt.Errorf("xla: plugin %s: %s", path, C.GoString(fault))
	}
	kept.folder, kept.plugin = folder, path
	kept.machine = fmt.Appendf(nil, "%s\n%s\n%d\n%s", pluginID(path), processor(), runtime.NumCPU(), os.Getenv("XLA_FLAGS"))
	if err := pjrt.RegisterPreloadedPlugin(path, uintptr(table)); err != nil {
		return fmt.Errorf("xla: plugin %s: %w", path, err)
	}
	return nil
}

// dplabCompile is PJRT_Client_Compile of the plugin's table.
//
//export dplabCompile
func dplabCompile(args *C.pjrt_compile) *C.pjrt_error {
	bytes := func(at *C.char, size C.size_t) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(at)), int(size)) }
	p := args.program
	name := key(kept.machine, bytes(p.format, p.format_size), bytes(args.options, args.options_size), nameless(bytes(p.code, p.code_size)))
	if content := kept.folder.read(name); content != nil {
		if loaded := C.dplab_pjrt_deserialize(args.client, unsafe.Pointer(&content[0]), C.size_t(len(content))); loaded != nil {
			found.Add(1)
			args.loaded = loaded
			return nil
		}
	}
	if fault := C.dplab_pjrt_compile(args); fault != nil {
		return fault
	}
	compiled.Add(1)
	handle := cgo.NewHandle(func(program []byte) { kept.folder.write(name, program) })
	defer handle.Delete()
	C.dplab_pjrt_serialize(args.loaded, C.size_t(handle))
	return nil
}

// dplabSerialized takes the bytes of a compiled program.
//
//export dplabSerialized
func dplabSerialized(key C.uintptr_t, bytes unsafe.Pointer, size C.size_t) {
	cgo.Handle(key).Value().(func([]byte))(unsafe.Slice((*byte)(bytes), int(size)))
}

// pluginID tells builds of a plugin apart: the linker's hash of it, or if there is none, where it lies, its size and its time.
func pluginID(path string) string {
	if library, err := elf.Open(path); err == nil {
		defer library.Close()
		if section := library.Section(".note.gnu.build-id"); section != nil {
			if note, err := section.Data(); err == nil {
				return fmt.Sprintf("%x", note)
			}
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return path
	}
	return fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano())
}

// processor returns what Linux says of the first processor's kind and instructions.
func processor() string {
	file, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer file.Close()
	var kind []string
	for lines := bufio.NewScanner(file); lines.Scan() && lines.Text() != ""; {
		name, _, _ := strings.Cut(lines.Text(), "\t")
		switch name {
		case "vendor_id", "cpu family", "model", "stepping", "flags", "Features", "CPU implementer", "CPU part":
			kind = append(kind, lines.Text())
		}
	}
	return strings.Join(kind, "\n")
}
