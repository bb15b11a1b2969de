package experiments

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/gofrs/flock"
)

// Store is the file in a folder that holds all shards of one job that were merged, packed by gzip.
type Store struct {
	Dir string
	Job Job
}

// storeFile is the form of a store on disk, before it is packed.
type storeFile struct {
	Identity
	Config  json.RawMessage `json:"config"`
	Records []Record        `json:"done"` // by increasing index
}

func (j Job) storeName() string { return j.base() + ".json.gz" }

// Path returns the path of the store.
func (s Store) Path() string { return filepath.Join(s.Dir, s.Job.storeName()) }

// Added describes what Add did.
type Added struct {
	New     []int  // shards that were missing
	Kept    []int  // shards that were present: the older result stays
	Differ  []int  // those of Kept with a different result, for example from another backend
	Done    int    // shards in the store now
	Aside   string // where a store of another version or config was put; "" for none
	Missing []int
}

// ErrLocked is returned, wrapped, while another program writes a store.
var ErrLocked = errors.New("another program is writing it: try again when it is done")

// ErrOtherVersion is returned, wrapped, for a store of another version or config.
var ErrOtherVersion = errors.New("stored by another version of the experiment")

// Stored returns the shards in the job's store in a folder, by increasing index. For a store of
// another version or config it returns an error that wraps ErrOtherVersion. A store that does not
// exist is empty.
func (j Job) Stored(dir fs.FS) ([]Record, error) {
	file, err := j.readStore(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return file.Records, err
}

// Add merges records into the store. While another program does so, it returns an error that wraps
// ErrLocked.
func (s Store) Add(records ...Record) (Added, error) {
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return Added{}, fmt.Errorf("experiments: folder of results: %w", err)
	}
	unlock, err := s.lock()
	if err != nil {
		return Added{}, err
	}
	defer unlock()
	var added Added
	old, err := s.Job.Stored(os.DirFS(s.Dir))
	if errors.Is(err, ErrOtherVersion) {
		added.Aside, err = s.putAside()
	}
	if err != nil {
		return Added{}, err
	}
	all, err := s.join(old, records, &added)
	if err != nil {
		return Added{}, err
	}
	added.Done, added.Missing = len(all), s.Job.Missing(all)
	if len(added.New) == 0 {
		return added, nil
	}
	packed, err := s.pack(all)
	if err != nil {
		return Added{}, err
	}
	return added, writeFile(s.Path(), packed)
}

// join adds records to the existing ones, and lists in added which are new, kept and different.
func (s Store) join(all, records []Record, added *Added) ([]Record, error) {
	for _, r := range records {
		if err := s.Job.check(s.Job.Identity, r); err != nil {
			return nil, fmt.Errorf("experiments: %v: %w", s.Job, err)
		}
		i := slices.IndexFunc(all, func(old Record) bool { return old.Index == r.Index })
		if i < 0 {
			all, added.New = append(all, r), append(added.New, r.Index)
			continue
		}
		added.Kept = append(added.Kept, r.Index)
		if !bytes.Equal(all[i].Result, r.Result) {
			added.Differ = append(added.Differ, r.Index)
		}
	}
	slices.SortFunc(all, byIndex)
	return all, nil
}

// pack gives equal shards equal bytes: it writes no name and no time into gzip's header.
func (s Store) pack(records []Record) ([]byte, error) {
	text, err := json.Marshal(storeFile{s.Job.Identity, s.Job.config, records})
	if err != nil {
		return nil, fmt.Errorf("experiments: %v: %w", s.Job, err)
	}
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(text)
		err = errors.Join(err, z.Close())
	}
	return out.Bytes(), err
}

// readStore reads the job's store in a folder.
func (j Job) readStore(dir fs.FS) (storeFile, error) {
	packed, err := fs.ReadFile(dir, j.storeName())
	if err != nil {
		return storeFile{}, fmt.Errorf("experiments: %v: %w", j, err)
	}
	var file storeFile
	text, err := unpack(packed)
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil {
		return storeFile{}, fmt.Errorf("experiments: %s is not a complete store: %w: remove it, or copy a complete one", j.storeName(), err)
	}
	if !j.counts(file.Identity) {
		return storeFile{}, fmt.Errorf("experiments: %s: %w: version %d, config %s, %d shards, where this is version %d, config %s, %d shards",
			j.storeName(), ErrOtherVersion, file.Version, file.ConfigHash, file.Shards, j.Version, j.ConfigHash, j.Shards)
	}
	for _, r := range file.Records {
		if err := j.check(file.Identity, r); err != nil {
			return storeFile{}, fmt.Errorf("experiments: %s: %w", j.storeName(), err)
		}
	}
	return file, nil
}

func unpack(packed []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// putAside renames the store to the first free name of its base with "old" and a number, and
// returns the new path.
func (s Store) putAside() (string, error) {
	for i := 1; ; i++ {
		path := filepath.Join(s.Dir, fmt.Sprintf("%s.old%d.json.gz", s.Job.base(), i))
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		if err := os.Rename(s.Path(), path); err != nil {
			return "", fmt.Errorf("experiments: a store of another version cannot be renamed: %w", err)
		}
		return path, nil
	}
}

// lock keeps other programs from writing the store until unlock is called. On a file system without
// locks it does nothing.
func (s Store) lock() (unlock func(), err error) {
	l := flock.New(filepath.Join(s.Dir, "."+s.Job.base()+".lock"), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644))
	ok, err := l.TryLock()
	switch {
	case errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK):
		return func() {}, nil
	case err != nil:
		return nil, fmt.Errorf("experiments: %s cannot be locked: %w", s.Path(), err)
	case !ok:
		return nil, fmt.Errorf("experiments: %s: %w", s.Path(), ErrLocked)
	}
	return func() { _ = l.Unlock() }, nil
}
