// Package results keeps the results of long runs as JSON files. A notebook that is opened again, or
// a shard that already ran, then does not run again.
//
//	res, err := results.Load("results/author2022-figure7.json", cfg, func() (Figure7Result, error) {
//		return search.Figure7(cfg)
//	})
//
// A file is used only if it holds a result of the same config and of the same Version. Otherwise
// the result is computed again and the file replaced.
//
// Left out on purpose: deciding when to delete files.
//
// It promises nothing to other modules.
package results

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/dplab/dplab/notebooks/figures"
)

// Version is the version of the code that results depend on. Raise it by hand when a change of the
// library changes the result of a config. Files of another version are computed again.
const Version = "1"

// file is the form on disk.
type file struct {
	Version    string          `json:"version"`
	ConfigHash string          `json:"configHash"`
	Config     json.RawMessage `json:"config"`
	Date       string          `json:"date"`    // when it was computed, UTC
	Seconds    float64         `json:"seconds"` // wall-clock time of the computation
	Go         string          `json:"go"`
	Revision   string          `json:"revision,omitempty"` // of the sources, if the build knows it
	Result     json.RawMessage `json:"result"`
}

// Load returns the result in the file at path if it belongs to the config. Otherwise it returns and
// stores what compute returns. Config and T must survive JSON: infinities need chart.Number, and
// unexported fields are lost. In both cases the value was read back from JSON, so a first and a
// second run agree.
//
// If the folder cannot be written to, Load returns an error before compute starts. If a file cannot
// be read as a result, Load warns through log/slog and replaces it. It replaces a file of another
// config or version without a warning.
func Load[T any](path string, config any, compute func() (T, error)) (T, error) {
	var zero T
	settings, hash, err := hashConfig(config)
	if err != nil {
		return zero, err
	}
	if v, ok := read[T](path, hash); ok {
		return v, nil
	}
	if err := writable(path); err != nil {
		return zero, err
	}
	start := time.Now()
	v, err := compute()
	if err != nil {
		return zero, err
	}
	result, err := json.Marshal(v)
	if err != nil {
		return zero, fmt.Errorf("results: result of type %T: %w", v, err)
	}
	data, err := json.MarshalIndent(file{Version, hash, settings, start.UTC().Format(time.RFC3339),
		time.Since(start).Seconds(), runtime.Version(), revision(), result}, "", " ")
	if err != nil {
		return zero, fmt.Errorf("results: %w", err)
	}
	if err := figures.WriteFile(path, append(data, '\n')); err != nil {
		return zero, err
	}
	var back T
	if err := json.Unmarshal(result, &back); err != nil {
		return zero, fmt.Errorf("results: result of type %T does not read back: %w", v, err)
	}
	return back, nil
}

// hashConfig returns the config as JSON, and the SHA-256 of that JSON and the version.
func hashConfig(config any) (text []byte, hash string, err error) {
	text, err = json.Marshal(config)
	if err != nil {
		return nil, "", fmt.Errorf("results: config of type %T: %w", config, err)
	}
	sum := sha256.Sum256(append([]byte("dplab results "+Version+"\n"), text...))
	return text, hex.EncodeToString(sum[:]), nil
}

// read returns the stored result if it belongs to this config.
func read[T any](path, hash string) (v T, ok bool) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return v, false
	}
	var f file
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if err == nil && f.ConfigHash != hash {
		return v, false
	}
	if err == nil {
		err = json.Unmarshal(f.Result, &v)
	}
	if err != nil {
		slog.Warn("results: a stored result cannot be read and is computed again", "file", path, "error", err)
		var zero T
		return zero, false
	}
	return v, true
}

// writable makes the folder of path and checks that it can be written to.
func writable(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("results: folder %s: %w", dir, err)
	}
	f, err := os.CreateTemp(dir, ".dplab-*")
	if err != nil {
		return fmt.Errorf("results: folder %s: %w", dir, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
