package main

import (
	"fmt"

	"github.com/dplab/dplab/notebooks/experiments"
)

// merge adds what workers have left in a folder to the store, and says what is missing.
func (p program) merge(job experiments.Job, o options) error {
	records, unusable, err := experiments.Folder{Dir: o.folder, Job: job}.Records()
	if err != nil {
		return err
	}
	for _, fault := range unusable {
		fmt.Fprintf(p.stderr, "not used: %v\n", fault)
	}
	if len(records) == 0 {
		return fmt.Errorf("-from %s: holds no shard of %v that can be used", o.folder, job)
	}
	store := experiments.Store{Dir: o.results, Job: job}
	added, err := store.Add(records...)
	if err != nil {
		return err
	}
	if added.Aside != "" {
		fmt.Fprintf(p.stderr, "what was stored before is of another version, and now in %s\n", added.Aside)
	}
	fmt.Fprintf(p.stdout, "%s: shards added: %d, there before: %d; it has %d of %d\n", store.Path(), len(added.New), len(added.Kept), added.Done, job.Shards)
	if len(added.Differ) > 0 {
		fmt.Fprintf(p.stdout, "differ from what is stored, which stays: %s\n", ranges(added.Differ))
	}
	if len(added.Missing) > 0 {
		fmt.Fprintf(p.stdout, "missing: %s\n", ranges(added.Missing))
	}
	return nil
}
