// Package checkpoint keeps the state of a run of the engine in files of a folder. A good file
// exists at any moment. Files of another run, damaged files and forged files are not used.
//
// The engine decides what identifies a run and when it writes. Errors begin with its name.
package checkpoint

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Two parts of a run's identity are authenticated with the run's key before they are written. One
// is Data: otherwise anyone who guesses the data could test the guess. The other is root, which
// shows whether the key is the same. Kernels is a description, which errors quote.
const (
	Data    = "data"
	Kernels = "kernels"
	root    = "root"
)

// Store keeps the checkpoints of one run in a folder.
type Store struct {
	dir      string
	identity map[string]string // what determines the run's numbers; the header of every file holds it
	key      []byte            // authenticates files
	create   Create

	mutex    sync.Mutex
	warnings []error
	unsaved  error // the first checkpoint that could not be written
	more     int   // number of others that could not be written
}

// File is a file under a temporary name until it is renamed.
type File interface {
	io.WriteCloser
	Sync() error
	Name() string
}

// Create makes a new file in a folder. Its name begins with a prefix.
type Create func(dir, prefix string) (File, error)

// CreateFile makes a file that only its owner can read.
func CreateFile(dir, prefix string) (File, error) {
	file, err := os.CreateTemp(dir, prefix)
	if err != nil {
		return nil, err // not a nil *os.File in an interface
	}
	return file, nil
}

// Open returns the store of a run in a folder. It makes the folder and tests that it is writable.
// identity is what determines the run's numbers: a run resumes only from checkpoints with the same
// identity. Only a holder of the run's roots can make key. groups maps the first replica of each of
// the run's groups to its size.
//
// Half-written files of an earlier process are removed. A file of another run is an error.
func Open(dir string, key []byte, identity map[string]string, groups map[int]int, create Create) (*Store, error) {
	s := &Store{dir: dir, create: create, key: keyed(key, "authentication"), identity: maps.Clone(identity)}
	s.identity[Data] = hex.EncodeToString(keyed(key, identity[Data]))
	s.identity[root] = hex.EncodeToString(keyed(key, root))
	return s, s.open(groups)
}

const (
	suffix        = ".checkpoint"
	temporaryMark = ".partial-"
)

// prefix returns the prefix of the files of the group of replicas first, first+1, ...
func prefix(first, replicas int) string {
	return fmt.Sprintf("replicas-%d-to-%d-after-step-", first, first+replicas-1)
}

func (s *Store) open(groups map[int]int) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("engine: Performance.Checkpoint.Dir: %w", err)
	}
	probe, err := s.create(s.dir, "try"+temporaryMark)
	if err != nil {
		return fmt.Errorf("engine: Performance.Checkpoint.Dir: %w", err)
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return fmt.Errorf("engine: Performance.Checkpoint.Dir: %w", err)
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("engine: Performance.Checkpoint.Dir: %w", err)
	}
	for _, entry := range entries {
		var first, last, step int
		name := entry.Name()
		if strings.Contains(name, temporaryMark) && (strings.HasPrefix(name, "replicas-") || strings.HasPrefix(name, "try")) {
			_ = os.Remove(filepath.Join(s.dir, name)) // a leftover file is harmless
			continue
		}
		n, _ := fmt.Sscanf(name, "replicas-%d-to-%d-after-step-%d"+suffix, &first, &last, &step)
		if n == 3 && groups[first] != last-first+1 {
			return fmt.Errorf("engine: checkpoint %s is of replicas %d to %d, not a group of this run: set Performance.ReplicasPerCall to %d or use another folder",
				filepath.Join(s.dir, name), first, last, last-first+1)
		}
		if err := s.glance(name); err != nil {
			return err
		}
	}
	return nil
}

// glance returns an error for a file of another run by its header only. Otherwise one group could
// train before another one finds that out. Damaged files are left to Load.
func (s *Store) glance(name string) error {
	if !strings.HasSuffix(name, suffix) {
		return nil
	}
	path := filepath.Join(s.dir, name)
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("engine: reading checkpoints: %w", err)
	}
	defer file.Close()
	start := make([]byte, 1<<16)
	n, _ := io.ReadFull(file, start) // most files are shorter
	h, _, err := decodeHeader(start[:n])
	if err != nil || s.check(h) == nil {
		return nil
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("engine: reading checkpoints: %w", err)
	}
	if _, err = decode[float32](whole, s.key, s.check); errors.Is(err, errDamaged) {
		return nil // the difference may be the damage
	}
	return refused(path, err)
}

// refused returns the error for a checkpoint that is not of this run.
func refused(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("engine: checkpoint %s %w (give this run its own folder)", path, err)
}

// warn keeps a warning for the result.
func (s *Store) warn(err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.warnings = append(s.warnings, err)
}

// Fail keeps the first error about a checkpoint that was not written, and counts the others. It
// reports whether this is the first.
func (s *Store) Fail(err error) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.unsaved != nil {
		s.more++
		return false
	}
	s.unsaved = err
	return true
}

// Warnings returns the warnings for the result of the run.
func (s *Store) Warnings() []error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch {
	case s.unsaved == nil:
		return s.warnings
	case s.more > 0:
		return append(s.warnings, fmt.Errorf("%w (and %d more)", s.unsaved, s.more))
	}
	return append(s.warnings, s.unsaved)
}

// files returns the checkpoints of a group, the latest first.
func (s *Store) files(first, replicas int) ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("engine: reading checkpoints: %w", err)
	}
	var names []string
	for _, entry := range entries {
		if name := entry.Name(); strings.HasPrefix(name, prefix(first, replicas)) && strings.HasSuffix(name, suffix) {
			names = append(names, name)
		}
	}
	slices.Sort(names) // the step has leading zeros
	slices.Reverse(names)
	return names, nil
}

// Load returns the latest checkpoint of a group that is not damaged. One of another run is
// an error.
func Load[T real](s *Store, first int, shape Shape) (shot Snapshot[T], found bool, err error) {
	names, err := s.files(first, shape.Replicas)
	if err != nil {
		return shot, false, err
	}
	for _, name := range names {
		path := filepath.Join(s.dir, name)
		file, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return shot, false, fmt.Errorf("engine: reading checkpoints: %w", err)
		}
		shot, err := decode[T](file, s.key, func(h header) error {
			if err := s.check(h); err != nil {
				return err
			}
			if h.First != first {
				return fmt.Errorf("is of the group that begins at replica %d: must begin at %d", h.First, first)
			}
			if h.Shape != shape || h.Step < 0 || h.Step > shape.Steps || h.Points < 0 || h.Points > h.Step {
				return fmt.Errorf("has %+v after step %d: must have %+v", h.Shape, h.Step, shape)
			}
			return nil
		})
		if errors.Is(err, errDamaged) {
			s.warn(fmt.Errorf("engine: checkpoint %s is skipped: %w", path, err))
			continue
		}
		if err != nil {
			return shot, false, refused(path, err)
		}
		return shot, true, nil
	}
	return shot, false, nil
}

// check returns an error that names all parts of the identity in which a checkpoint differs from
// this run.
func (s *Store) check(h header) error {
	var other []string
	for what, mine := range s.identity {
		if h.Identity[what] != mine {
			other = append(other, what)
		}
	}
	for what := range h.Identity {
		if _, known := s.identity[what]; !known {
			other = append(other, what)
		}
	}
	if slices.Contains(other, root) { // the hash of the data is made with it
		other = slices.DeleteFunc(other, func(what string) bool { return what == Data })
	}
	if len(other) > 0 {
		slices.Sort(other)
		if i := slices.Index(other, Kernels); i >= 0 && h.Identity[Kernels] != "" {
			other[i] = fmt.Sprintf("%s (those of the file are %q, those of this run %q)", Kernels, h.Identity[Kernels], s.identity[Kernels])
		}
		return fmt.Errorf("is of another run: must have the same %s", strings.Join(other, ", "))
	}
	return nil
}

// Write stores a checkpoint. A good one exists at any moment. Only it and the previous one are
// kept.
func Write[T real](s *Store, first int, shape Shape, shot Snapshot[T]) error {
	name := fmt.Sprintf("%s%010d%s", prefix(first, shape.Replicas), shot.Step, suffix)
	file, err := s.create(s.dir, name+temporaryMark)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(file, 1<<16)
	h := header{Format: format, Identity: s.identity, Shape: shape, First: first, Step: shot.Step, Points: shot.points()}
	err = encode(buffered, s.key, h, shot)
	if err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), filepath.Join(s.dir, name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	syncFolder(s.dir)
	names, err := s.files(first, shape.Replicas)
	if err != nil {
		return err
	}
	const kept = 2
	for _, old := range names[min(kept, len(names)):] {
		if err := os.Remove(filepath.Join(s.dir, old)); err != nil {
			return err
		}
	}
	return nil
}

// syncFolder forces a renaming to disk, if the system can.
func syncFolder(dir string) {
	if folder, err := os.Open(dir); err == nil {
		_ = folder.Sync()
		_ = folder.Close()
	}
}
