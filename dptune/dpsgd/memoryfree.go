package dpsgd

import (
	"math"
	"os"
	"strconv"
	"strings"
)

// availableMemory returns how many bytes this process may still take, as Linux tells: what
// is free or can be freed, and what is left of the control group's limit. 0 is not known.
func availableMemory() int64 {
	least := int64(math.MaxInt64)
	if kilobytes, ok := field("/proc/meminfo", "MemAvailable:"); ok {
		least = kilobytes << 10
	}
	const group = "/sys/fs/cgroup/memory."
	limit, okLimit := readBytes(group + "max")
	used, okUsed := readBytes(group + "current")
	if okLimit && okUsed {
		cache, _ := field(group+"stat", "inactive_file") // counted as used, and freed on demand
		least = min(least, max(limit-used+cache, 1))
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

// field returns the number that follows a name in a file of lines.
func field(path, name string) (int64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) >= 2 && words[0] == name {
			n, err := strconv.ParseInt(words[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// readBytes returns the number that a file holds; "max", which is no limit, is none.
func readBytes(path string) (int64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}
