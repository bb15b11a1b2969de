package rawfile

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
)

// ReadFile returns the bytes of a file after its checksum was verified. An unexpected file gives a
// *ChecksumError.
func ReadFile(path string, sum Checksum) ([]byte, error) {
	content, err := readAll(path)
	if err != nil {
		return nil, err
	}
	if err := sum.Verify(path, content); err != nil {
		return nil, err
	}
	return content, nil
}

func readAll(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	return content, nil
}

// ReadGzip returns the content of a gzip file, after the checksum of the compressed bytes was
// verified. limit is the largest number of unpacked bytes allowed, at least 1.
func ReadGzip(path string, sum Checksum, limit int64) ([]byte, error) {
	packed, err := ReadFile(path, sum)
	if err != nil {
		return nil, err
	}
	return Gunzip(path, packed, limit)
}

// Gunzip unpacks gzip bytes. Errors call them name. limit is the largest number of unpacked bytes
// allowed, at least 1. Truncated or damaged bytes are an error, even if only gzip's own checksum
// shows it.
func Gunzip(name string, packed []byte, limit int64) ([]byte, error) {
	if limit < 1 {
		return nil, fmt.Errorf("data: %s: limit %d bytes: must be >= 1", name, limit)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("data: %s (%d bytes): not a gzip file: %w", name, len(packed), err)
	}
	content, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("data: %s (%d bytes): truncated or corrupt after %d unpacked bytes: %w", name, len(packed), len(content), err)
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("data: %s: unpacks to more than %d bytes: not the expected file", name, limit)
	}
	return content, nil
}
