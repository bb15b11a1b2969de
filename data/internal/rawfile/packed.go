package rawfile

import (
	"bytes"
	"compress/bzip2"
	"path/filepath"
	"strings"
)

// packedSuffix is the end of the name of a file packed by bzip2.
const packedSuffix = ".bz2"

// ReadPacked returns the bytes of a file that may be packed by bzip2, as the end of its name shows.
// sum is the checksum of the returned, unpacked bytes. limit is the largest number of bytes
// allowed, at least 1. Unpacking is slow. Its result is kept in cache, if that has a folder.
func ReadPacked(path string, sum Checksum, limit int64, cache Cache) ([]byte, error) {
	if !strings.HasSuffix(path, packedSuffix) {
		return ReadFile(path, sum)
	}
	unpack := func() ([]byte, error) {
		packed, err := readAll(path)
		if err != nil {
			return nil, err
		}
		content, err := unpack(path, packed, bzip2.NewReader(bytes.NewReader(packed)), limit, "not bzip2, truncated or corrupt")
		if err != nil {
			return nil, err
		}
		return content, sum.Verify(path+" (unpacked)", content)
	}
	if cache.Dir == "" {
		return unpack()
	}
	return cache.Bytes(cacheEntry(path), sum, unpack)
}

// cacheEntry turns the last two parts of a path into a name that the cache takes.
func cacheEntry(path string) string {
	name := strings.ToLower(filepath.Base(filepath.Dir(path)) + "-" + strings.TrimSuffix(filepath.Base(path), packedSuffix))
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '-'
	}, name)
	return strings.TrimLeft(name, ".-")
}
