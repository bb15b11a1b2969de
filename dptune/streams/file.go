package streams

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// SecretFile returns the secret root that a file keeps. If the file does not exist, it makes it
// first, with a key from the operating system's generator. A run that must survive the end of its
// process takes its root from there, and resumes to the same bits. Runs with other data, plans or
// models still draw independently: see [Root.Bound].
//
// Only the file's owner can read it. Anyone who has it can remove the noise of what was released:
// delete it when the run is over, and keep it apart from what is published.
func SecretFile(path string) (Root, error) {
	root, err := readSecret(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return root, err
	}
	if root, err = Secret(); err != nil {
		return Root{}, err
	}
	if err = root.writeNew(path); errors.Is(err, fs.ErrExist) {
		return readSecret(path) // another process was faster
	}
	if err != nil {
		return Root{}, fmt.Errorf("streams: %w", err)
	}
	return root, nil
}

// writeNew makes the file, as a whole or not at all. It is written under another name and linked,
// which fails with fs.ErrExist if the file exists.
func (r Root) writeNew(path string) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".partial-") // only its owner can read it
	if err != nil {
		return err
	}
	_, err = file.WriteString(secretHead + hex.EncodeToString(r.key[:]) + "\n")
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Link(file.Name(), path)
	}
	return errors.Join(err, os.Remove(file.Name()))
}

const secretHead = "dplab secret root "

func readSecret(path string) (Root, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Root{}, fmt.Errorf("streams: %w", err)
	}
	key, found := strings.CutPrefix(strings.TrimSpace(string(text)), secretHead)
	bytes, err := hex.DecodeString(key)
	r := Root{valid: true}
	if !found || err != nil || copy(r.key[:], bytes) != len(r.key) || len(bytes) != len(r.key) {
		return Root{}, fmt.Errorf("streams: %s: does not hold a secret root: must be a file that SecretFile made", path)
	}
	return r, nil
}
