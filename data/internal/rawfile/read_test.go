package rawfile

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func pack(t *testing.T, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func sumOf(content []byte) Checksum {
	sum := sha256.Sum256(content)
	return SHA256(hex.EncodeToString(sum[:]))
}

func write(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.gz")
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadGzip(t *testing.T) {
	content := []byte(strings.Repeat("digits ", 1000))
	packed := pack(t, content)
	got, err := ReadGzip(write(t, packed), sumOf(packed), int64(len(content)))
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("ReadGzip: %d bytes, error %v", len(got), err)
	}
}

func TestReadGzipRefusesWrongFiles(t *testing.T) {
	content := []byte(strings.Repeat("digits ", 1000))
	packed := pack(t, content)
	half := packed[:len(packed)/2]
	flipped := bytes.Clone(packed)
	flipped[len(flipped)-6] ^= 1 // gzip's own checksum, RFC 1952 section 2.3.1
	size := int64(len(content))
	cases := []struct {
		name  string
		file  []byte
		sum   Checksum
		limit int64
		want  string
	}{
		{"truncated", half, sumOf(packed), size, "expected SHA-256 " + sumOf(packed).hex},
		{"truncated, checksum taken of the truncated file", half, sumOf(half), size, "truncated or corrupt"},
		{"one bit of gzip's checksum", flipped, sumOf(flipped), size, "truncated or corrupt"},
		{"not gzip", content, sumOf(content), size, "not a gzip file"},
		{"empty", nil, sumOf(nil), size, "not a gzip file"},
		{"larger than the limit", packed, sumOf(packed), size - 1, "more than 6999 bytes"},
		{"no limit", packed, sumOf(packed), 0, "limit 0 bytes"},
	}
	for _, c := range cases {
		path := write(t, c.file)
		_, err := ReadGzip(path, c.sum, c.limit)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v: want one with %q and the path", c.name, err, c.want)
		}
	}
}

func TestReadFileThatIsNotThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.gz")
	if _, err := ReadFile(path, SHA256(abcSHA256)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v: want fs.ErrNotExist", err)
	}
}
