// Package freememory returns how much memory the machine has left.
package freememory

import (
	"math"
	"os"
	"strconv"
	"strings"
)

// Bytes returns how many bytes this process can still allocate, from Linux's files. It is the least
// of three: memory that is free or can be freed, the rest of the control group's limit, and the
// rest of the process's limit (ulimit -v). It is 0 if not known.
func Bytes() int64 {
	least := int64(math.MaxInt64)
	if kilobytes, ok := field("/proc/meminfo", "MemAvailable:"); ok {
		least = kilobytes << 10
	}
	const group = "/sys/fs/cgroup/memory."
	limit, okLimit := readBytes(group + "max")
	used, okUsed := readBytes(group + "current")
	if okLimit && okUsed {
		cache, _ := field(group+"stat", "inactive_file ") // counted as used, but freed on demand
		least = min(least, max(limit-used+cache, 1))
	}
	if limit, ok := field("/proc/self/limits", "Max address space"); ok {
		used, _ := field("/proc/self/status", "VmSize:")
		least = min(least, max(limit-used<<10, 1))
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

// field returns the number after a name at the start of a line. A word, such as unlimited, is not a
// number.
func field(path, name string) (int64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		rest, ok := strings.CutPrefix(line, name)
		if words := strings.Fields(rest); ok && len(words) > 0 {
			n, err := strconv.ParseInt(words[0], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// readBytes returns the number in a file. "max", for no limit, is not a number.
func readBytes(path string) (int64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}
