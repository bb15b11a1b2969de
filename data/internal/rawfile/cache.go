package rawfile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// CacheVariable is the environment variable that names the folder for decoded data, in place of
// dplab/data in the user's cache folder.
const CacheVariable = "DPLAB_CACHE"

// Cache keeps decoded forms of data files. Slow decoding then happens once. Entries are written to
// a temporary file and renamed: a reader sees a whole entry or none. A damaged entry is computed
// again, never trusted.
type Cache struct {
	Dir string // folder; made when first written to
}

// UserCache returns the cache in DPLAB_CACHE, else in the user's cache folder.
func UserCache() (Cache, error) {
	if dir := os.Getenv(CacheVariable); dir != "" {
		return Cache{Dir: dir}, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return Cache{}, fmt.Errorf("data: no cache folder (set %s to choose one): %w", CacheVariable, err)
	}
	return Cache{Dir: filepath.Join(dir, "dplab", "data")}, nil
}

var cacheName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,99}$`)

// Bytes returns the entry with a name. It computes and stores the entry if that is missing or
// damaged. source is the checksum of the file that the entry is decoded from; an entry of another
// source is not used. name is made of lower-case letters, digits, dots and dashes.
//
// A folder that cannot be written to is not an error: the bytes are returned, and the next call
// computes them again.
func (c Cache) Bytes(name string, source Checksum, compute func() ([]byte, error)) ([]byte, error) {
	if c.Dir == "" {
		return nil, errors.New("data: Cache.Dir is empty: must name a folder")
	}
	if !cacheName.MatchString(name) {
		return nil, fmt.Errorf("data: cache entry %q: must be 1 to 100 of a-z, 0-9, dot and dash", name)
	}
	if _, err := source.hash(); err != nil {
		return nil, fmt.Errorf("data: cache entry %q: source %w", name, err)
	}
	path := filepath.Join(c.Dir, name+"-"+source.hex[:16])
	if content, ok := readEntry(path); ok {
		return content, nil
	}
	content, err := compute()
	if err != nil {
		return nil, err
	}
	_ = writeEntry(path, content) // the cache only saves time
	return content, nil
}

// An entry is the SHA-256 of the content, then the content.
func readEntry(path string) ([]byte, bool) {
	raw, err := os.ReadFile(path)
	if err != nil || len(raw) < sha256.Size {
		return nil, false
	}
	content := raw[sha256.Size:]
	return content, sha256.Sum256(content) == [sha256.Size]byte(raw)
}

// writeEntry writes an entry, which appears as a whole or not at all.
func writeEntry(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	return Write(path, 0o600, sum[:], content)
}
