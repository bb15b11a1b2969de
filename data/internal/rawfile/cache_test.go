package rawfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestCacheComputesOnce(t *testing.T) {
	c := Cache{Dir: filepath.Join(t.TempDir(), "made", "later")}
	calls := 0
	compute := func() ([]byte, error) { calls++; return []byte("decoded"), nil }
	for range 3 {
		got, err := c.Bytes("set.v1", MD5(abcMD5), compute)
		if err != nil || string(got) != "decoded" {
			t.Fatalf("Bytes = %q, %v", got, err)
		}
	}
	if calls != 1 {
		t.Errorf("computed %d times: want 1", calls)
	}
	if _, err := c.Bytes("set.v1", SHA256(abcSHA256), compute); err != nil || calls != 2 {
		t.Errorf("another source: computed %d times, error %v: want 2", calls, err)
	}
	entries, err := os.ReadDir(c.Dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("folder holds %v, %v: want two entries and no temporary file", entries, err)
	}
}

func TestCacheDoesNotTrustDamagedEntries(t *testing.T) {
	c := Cache{Dir: t.TempDir()}
	compute := func() ([]byte, error) { return []byte("decoded"), nil }
	damage := map[string]func([]byte) []byte{
		"truncated": func(b []byte) []byte { return b[:len(b)-1] },
		"one bit":   func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
		"empty":     func([]byte) []byte { return nil },
	}
	for name, spoil := range damage {
		if _, err := c.Bytes("set", MD5(abcMD5), compute); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(c.Dir, "set-"+abcMD5[:16])
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, spoil(raw), 0o644); err != nil {
			t.Fatal(err)
		}
		calls := 0
		got, err := c.Bytes("set", MD5(abcMD5), func() ([]byte, error) { calls++; return compute() })
		if err != nil || string(got) != "decoded" || calls != 1 {
			t.Errorf("%s: Bytes = %q, %v after %d computations: want it computed again", name, got, err, calls)
		}
	}
}

func TestCacheErrors(t *testing.T) {
	fault := errors.New("decoder")
	fails := func() ([]byte, error) { return nil, fault }
	if _, err := (Cache{Dir: t.TempDir()}).Bytes("set", MD5(abcMD5), fails); !errors.Is(err, fault) {
		t.Errorf("error %v: want the decoder's", err)
	}
	works := func() ([]byte, error) { return []byte("decoded"), nil }
	for _, name := range []string{"", "../up", "A", "a/b", ".hidden"} {
		if _, err := (Cache{Dir: t.TempDir()}).Bytes(name, MD5(abcMD5), works); err == nil {
			t.Errorf("name %q accepted", name)
		}
	}
	if _, err := (Cache{}).Bytes("set", MD5(abcMD5), works); err == nil {
		t.Error("a cache without a folder accepted")
	}
	if _, err := (Cache{Dir: t.TempDir()}).Bytes("set", Checksum{}, works); err == nil {
		t.Error("a source without a checksum accepted")
	}
	file := write(t, nil)
	if got, err := (Cache{Dir: filepath.Join(file, "sub")}).Bytes("set", MD5(abcMD5), works); err != nil || string(got) != "decoded" {
		t.Errorf("a folder that cannot be made: %q, %v: want the bytes", got, err)
	}
}

func TestUserCacheFollowsTheVariable(t *testing.T) {
	t.Setenv(CacheVariable, "/some/where")
	if c, err := UserCache(); err != nil || c.Dir != "/some/where" {
		t.Errorf("UserCache = %+v, %v", c, err)
	}
}
