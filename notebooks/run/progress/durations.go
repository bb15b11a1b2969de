package progress

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/dplab/dplab/notebooks/run/nbformat"
)

// Durations remembers how long cells took in earlier runs. It is a help for estimates only: a file that
// cannot be read or written is no error.
type Durations struct {
	path    string
	mu      sync.Mutex
	seconds map[string]float64
}

// LoadDurations reads the durations kept at path.
func LoadDurations(path string) *Durations {
	d := &Durations{path: path, seconds: map[string]float64{}}
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, &d.seconds)
	}
	return d
}

func key(notebook, profile, source string) string {
	sum := sha256.Sum256([]byte(source))
	return notebook + " " + profile + " " + hex.EncodeToString(sum[:6])
}

// Get returns how long a cell took, and whether that is known.
func (d *Durations) Get(notebook, profile, source string) (time.Duration, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.seconds[key(notebook, profile, source)]
	return time.Duration(s * float64(time.Second)), ok
}

// Put stores how long a cell took.
func (d *Durations) Put(notebook, profile, source string, took time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seconds[key(notebook, profile, source)] = took.Seconds()
}

// Save writes the durations.
func (d *Durations) Save() {
	d.mu.Lock()
	defer d.mu.Unlock()
	data, err := json.MarshalIndent(d.seconds, "", " ")
	if err == nil && os.MkdirAll(filepath.Dir(d.path), 0o755) == nil {
		_ = nbformat.WriteFile(d.path, data)
	}
}
