package streams

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// SecretFile returns the secret root that a file keeps, and makes it first if there is no
// such file, with a key from the operating system's generator. A run that must survive the
// end of its process takes its root from there, and resumes to the same bits.
//
// Only the file's owner can read it. Who has it can take the noise off whatever was
// released: delete it when the run is over, and keep it apart from what is published.
func SecretFile(path string) (Root, error) {
	root, err := readSecret(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return root, err
	}
	if root, err = Secret(); err != nil {
		return Root{}, err
	}
	// O_EXCL: of two processes, one makes the file and the other reads it.
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return readSecret(path)
	}
	if err != nil {
		return Root{}, fmt.Errorf("streams: %w", err)
	}
	_, err = file.WriteString(secretHead + hex.EncodeToString(root.key[:]) + "\n")
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return Root{}, errors.Join(fmt.Errorf("streams: %w", err), os.Remove(path))
	}
	return root, nil
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
