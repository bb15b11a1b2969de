package plugin

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// inspect reads a plugin's headers, without loading it, and returns an error if something is wrong.
// want is its SHA-256 in hexadecimal, or "".
func inspect(path, want string) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("xla: plugin does not open: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("xla: plugin does not open: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("xla: plugin %s is not a regular file", path)
	}
	if err := inspectLibrary(file, info.Size()); err != nil {
		return fmt.Errorf("xla: plugin %s: %w", path, err)
	}
	if want == "" {
		return nil
	}
	if err := checksum(file, want); err != nil {
		return fmt.Errorf("xla: plugin %s: %w", path, err)
	}
	return nil
}

var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

func inspectLibrary(file io.ReaderAt, size int64) error {
	header := make([]byte, len(elf.ELFMAG))
	if _, err := file.ReadAt(header, 0); err != nil || string(header) != elf.ELFMAG {
		return errors.New("is not a shared library (no ELF header)")
	}
	library, err := elf.NewFile(file)
	if err != nil { // the section tables are at the end of a library
		return fmt.Errorf("is truncated or damaged: %w", err)
	}
	if library.Type != elf.ET_DYN {
		return fmt.Errorf("is not a shared library (ELF type %v)", library.Type)
	}
	if m, known := machines[runtime.GOARCH]; known && library.Machine != m {
		return fmt.Errorf("is for %v, not for this machine's %v", library.Machine, m)
	}
	for _, part := range library.Progs {
		if end := part.Off + part.Filesz; end < part.Off || end > uint64(size) {
			return fmt.Errorf("is truncated: its parts end at byte %d, the file at %d", end, size)
		}
	}
	for _, part := range library.Sections {
		if end := part.Offset + part.FileSize; part.Type != elf.SHT_NOBITS && end > uint64(size) {
			return fmt.Errorf("is truncated: its parts end at byte %d, the file at %d", end, size)
		}
	}
	return nil
}

// checksum compares the file's SHA-256 with want.
func checksum(file io.ReaderAt, want string) error {
	hash := sha256.New()
	if _, err := io.Copy(hash, io.NewSectionReader(file, 0, 1<<62)); err != nil {
		return fmt.Errorf("does not read: %w", err)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); !strings.EqualFold(got, strings.TrimSpace(want)) {
		return fmt.Errorf("has SHA-256 %s: must be %s, by DPLAB_PJRT_SHA256 (or DPLAB_PJRT_CUDA_SHA256)", got, want)
	}
	return nil
}
