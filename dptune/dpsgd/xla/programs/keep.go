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
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/cgo"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/gomlx/go-xla/pjrt"
)

// kept is the store of the process for programs of its one plugin. It is set before the first is
// compiled.
var kept struct {
	folder  *folder
	machine []byte // all that the code depends on, except the program and the devices
	asked   bool   // Keep was called
}

var compiled, found atomic.Int64

// Counts returns how many programs this process has compiled, and how many it has loaded from
// files.
func Counts() (compiledHere, foundInFiles int) { return int(compiled.Load()), int(found.Load()) }

// Keep loads a plugin into go-xla that keeps compiled programs. Call it before the plugin is used.
// It works for one plugin of a process; for a second one it does nothing. driver names the software
// below the plugin that the code depends on too, "" for none. If nothing can be kept, a line on
// standard error reports it, once in a process.
func Keep(path, driver string) error {
	if kept.asked {
		return nil
	}
	folder, err := openFolder(os.Stderr)
	if folder == nil || err != nil {
		kept.asked = err == nil
		return err
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var fault *C.char
	table := C.dplab_pjrt_load(name, &fault)
	if table == nil {
		return fmt.Errorf("xla: plugin %s: %s", path, C.GoString(fault))
	}
	kept.folder, kept.asked = folder, true
	kept.machine = []byte(Machine(path, driver))
	if err := pjrt.RegisterPreloadedPlugin(path, uintptr(table)); err != nil {
		return fmt.Errorf("xla: plugin %s: %w", path, err)
	}
	return nil
}

// Machine describes all that compiled programs depend on, except the kind of a GPU, in one line:
// the plugin at path, the driver below it ("" for none), processor, cores and XLA_FLAGS.
func Machine(path, driver string) string {
	short := func(text string) string { return key([]byte(text))[:16] }
	return fmt.Sprintf("plugin %s, driver %q, processor %s, %d cores, XLA_FLAGS %q",
		short(pluginID(path)), strings.TrimSpace(driver), short(processor()), runtime.NumCPU(), os.Getenv("XLA_FLAGS"))
}

// dplabCompile is PJRT_Client_Compile of the plugin's table.
//
//export dplabCompile
func dplabCompile(args *C.pjrt_compile) *C.pjrt_error {
	text := func(at *C.char, size C.size_t) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(at)), int(size)) }
	p := args.program
	name := key(kept.machine, devices(args.client), text(p.format, p.format_size), text(args.options, args.options_size), nameless(text(p.code, p.code_size)))
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
	taking(func(program []byte) { kept.folder.write(name, program) }, func(key C.size_t) { C.dplab_pjrt_serialize(args.loaded, key) })
	return nil
}

// devices returns the plugin's version and the kind and attributes of each device, such as a GPU's
// compute capability.
func devices(client unsafe.Pointer) []byte {
	var parts [][]byte
	taking(func(part []byte) { parts = append(parts, bytes.Clone(part)) }, func(key C.size_t) { C.dplab_pjrt_describe(client, key) })
	return []byte(key(parts...))
}

// taking calls f with a key. take gets the bytes that C passes back with that key.
func taking(take func([]byte), f func(key C.size_t)) {
	handle := cgo.NewHandle(take)
	defer handle.Delete()
	f(C.size_t(handle))
}

// dplabTake takes bytes from C.
//
//export dplabTake
func dplabTake(key C.uintptr_t, bytes unsafe.Pointer, size C.size_t) {
	cgo.Handle(key).Value().(func([]byte))(unsafe.Slice((*byte)(bytes), int(size)))
}

// pluginID identifies the build of a plugin: by the linker's hash of it or, without one, by its
// path, size and time.
func pluginID(path string) string {
	if file, err := filepath.EvalSymlinks(path); err == nil {
		path = file
	}
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

// processor returns Linux's description of the first processor's kind and instructions.
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
