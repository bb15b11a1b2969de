package rawfile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("data: %s (%d bytes): not a gzip file: %w", name, len(packed), err)
	}
	return unpack(name, packed, r, limit, "truncated or corrupt")
}

// unpack reads all that r unpacks, at most limit bytes. An error of r means that packed is wrong.
func unpack(name string, packed []byte, r io.Reader, limit int64, wrong string) ([]byte, error) {
	if limit < 1 {
		return nil, fmt.Errorf("data: %s: limit %d bytes: must be >= 1", name, limit)
	}
	content, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("data: %s (%d bytes): %s after %d unpacked bytes: %w", name, len(packed), wrong, len(content), err)
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("data: %s: unpacks to more than %d bytes: not the expected file", name, limit)
	}
	return content, nil
}

// Write puts a file of head and content in its place as a whole or not at all.
func Write(path string, mode os.FileMode, head, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after the rename, as it should
	if _, err = f.Write(head); err == nil {
		_, err = f.Write(content)
	}
	if err = errors.Join(err, f.Chmod(mode), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
