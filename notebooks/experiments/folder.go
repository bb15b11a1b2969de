package experiments

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Folder holds shard files of one job, and may hold those of others. Any number of workers write
// into it at the same time. Two that make the same shard write the same result, and the last one
// stays.
type Folder struct {
	Dir string
	Job Job
}

// shardFile is the form of a shard on disk.
type shardFile struct {
	Identity
	Record
}

func (f Folder) path(index int) string {
	return filepath.Join(f.Dir, fmt.Sprintf("%s.v%d-%s.%05d.shard.json", f.Job.base(), f.Job.Version, f.Job.ConfigHash, index))
}

// Add writes a file for each record.
func (f Folder) Add(records ...Record) error {
	for _, r := range records {
		text, err := json.Marshal(shardFile{f.Job.Identity, r})
		if err != nil {
			return fmt.Errorf("experiments: shard %d: %w", r.Index, err)
		}
		if err := writeFile(f.path(r.Index), append(text, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// Records returns the shards in the folder, by increasing index. It also returns what is wrong with
// each file that is named like a shard and cannot be used: cut short, of another version, of
// another config. A folder that does not exist is empty.
func (f Folder) Records() (records []Record, unusable []error, err error) {
	entries, err := os.ReadDir(f.Dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, nil, fmt.Errorf("experiments: folder of shards: %w", err)
	}
	for _, entry := range entries {
		if ok, _ := filepath.Match(f.Job.base()+".*.shard.json", entry.Name()); !ok {
			continue
		}
		r, err := f.read(filepath.Join(f.Dir, entry.Name()))
		switch {
		case err != nil:
			unusable = append(unusable, fmt.Errorf("%s: %w", entry.Name(), err))
		case !slices.ContainsFunc(records, func(other Record) bool { return other.Index == r.Index }):
			records = append(records, r)
		}
	}
	slices.SortFunc(records, byIndex)
	return records, unusable, nil
}

func (f Folder) read(path string) (Record, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Record{}, err
	}
	var file shardFile
	if err := json.Unmarshal(text, &file); err != nil {
		return Record{}, fmt.Errorf("is not a complete shard: %w", err)
	}
	return file.Record, f.Job.check(file.Identity, file.Record)
}

func byIndex(a, b Record) int { return a.Index - b.Index }
