package experiments

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func add(t *testing.T, s Store, records ...Record) Added {
	t.Helper()
	added, err := s.Add(records...)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

func listed(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".lock") {
			names = append(names, e.Name())
		}
	}
	return names
}

// Workers with folders of their own, in any order and overlapping, give what one run gives.
func TestShardsOfManyWorkersAreOneResult(t *testing.T) {
	j, dir, results := job(t, 1, "mid"), t.TempDir(), t.TempDir()
	for folder, shards := range map[string][]int{"a": {4, 1}, "b": {0, 2, 1}, "c": {3}} {
		f := Folder{filepath.Join(dir, folder), j}
		if err := f.Add(compute(t, j, shards...)...); err != nil {
			t.Fatal(err)
		}
		records, unusable, err := f.Records()
		if err != nil || len(unusable) > 0 || len(records) != len(shards) {
			t.Fatalf("folder %s: %d records, %v, %v", folder, len(records), unusable, err)
		}
		if added := add(t, Store{results, j}, records...); len(added.Differ) > 0 {
			t.Errorf("the same shard differs: %+v", added)
		}
	}
	s, err := toy(1).LoadFrom(os.DirFS(results), "mid")
	if err != nil || s.Result != s.Config.sum() || s.Account.Done != 5 {
		t.Errorf("%+v, %v, want %g", s, err, s.Config.sum())
	}
	if got := s.Account.String(); !strings.HasPrefix(got, "5 of 5 shards; go on ") || !strings.HasSuffix(got, "; commit 0123456789ab") {
		t.Errorf("account %q", got)
	}
}

// A part of the shards is a result that says so.
func TestLoadShowsWhatIsDone(t *testing.T) {
	j, dir := job(t, 1, "quick"), t.TempDir()
	_, err := toy(1).LoadFrom(os.DirFS(dir), "quick")
	if !errors.Is(err, ErrNotStored) || !strings.Contains(err.Error(), "go run ./notebooks/train toy2026/squares-1 -profile quick") {
		t.Errorf("nothing stored: %v", err)
	}
	if _, err := toy(1).Load("quick"); !errors.Is(err, ErrNotStored) {
		t.Errorf("nothing stored in the repository: %v", err)
	}
	if added := add(t, Store{dir, j}, compute(t, j, 2)...); !slices.Equal(added.Missing, []int{0, 1, 3}) {
		t.Errorf("%+v", added)
	}
	s, err := toy(1).LoadFrom(os.DirFS(dir), "quick") // 10² to 14²
	if err != nil || s.Result != 730 || s.Account.Done != 1 || s.Account.Shards != 4 {
		t.Errorf("%+v, %v", s, err)
	}
}

// What is stored stays, and equal shards give equal bytes.
func TestTheFirstResultOfAShardStays(t *testing.T) {
	j, dir := job(t, 1, "quick"), t.TempDir()
	first := compute(t, j, 0, 1)
	add(t, Store{dir, j}, first...)
	before, err := os.ReadFile(Store{dir, j}.Path())
	if err != nil {
		t.Fatal(err)
	}
	other := slices.Clone(first)
	other[1].Result = []byte(`"AACAPw=="`)
	added := add(t, Store{dir, j}, other...)
	if len(added.New) != 0 || !slices.Equal(added.Kept, []int{0, 1}) || !slices.Equal(added.Differ, []int{1}) {
		t.Errorf("%+v", added)
	}
	if after, err := os.ReadFile(Store{dir, j}.Path()); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the store changed: %v", err)
	}
	second := t.TempDir()
	add(t, Store{second, j}, first[1])
	add(t, Store{second, j}, first[0])
	if again, err := os.ReadFile(Store{second, j}.Path()); err != nil || !bytes.Equal(before, again) {
		t.Errorf("the same shards in another order give another file: %v", err)
	}
}

// A store of another version, or of another config, is put aside under its own name each time.
func TestAnotherVersionIsPutAside(t *testing.T) {
	dir := t.TempDir()
	contents := map[int][]byte{}
	for version := 1; version <= 3; version++ {
		j := job(t, version, "quick")
		if version > 1 {
			if _, err := toy(version).LoadFrom(os.DirFS(dir), "quick"); !errors.Is(err, ErrOtherVersion) || !strings.Contains(err.Error(), "version") {
				t.Errorf("version %d loads that of %d: %v", version, version-1, err)
			}
		}
		added := add(t, Store{dir, j}, compute(t, j, version)...)
		if (added.Aside == "") != (version == 1) || added.Done != 1 {
			t.Errorf("version %d: %+v", version, added)
		}
		if version > 1 {
			if kept, err := os.ReadFile(added.Aside); err != nil || !bytes.Equal(kept, contents[version-1]) {
				t.Errorf("what version %d has put aside is not what was there: %v", version, err)
			}
		}
		var err error
		if contents[version], err = os.ReadFile(Store{dir, j}.Path()); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"toy2026-squares-1-quick.json.gz", "toy2026-squares-1-quick.old1.json.gz", "toy2026-squares-1-quick.old2.json.gz"}
	if got := listed(t, dir); !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

// What a smaller config has stored counts for a larger one whose first shards are the same. Without
// Smaller it is of another config.
func TestALargerConfigGoesOn(t *testing.T) {
	dir := t.TempDir()
	small := toy(1)
	small.Profiles["quick"] = squares{10, 5}
	before, err := small.Job("quick")
	if err != nil {
		t.Fatal(err)
	}
	add(t, Store{dir, before}, compute(t, before, 0, 1)...)
	if err := (Folder{dir, before}).Add(compute(t, before, 1)...); err != nil {
		t.Fatal(err)
	}
	if _, err := toy(1).LoadFrom(os.DirFS(dir), "quick"); !errors.Is(err, ErrOtherVersion) {
		t.Errorf("without Smaller: %v", err)
	}

	large := toy(1) // of 20 numbers
	large.Smaller = func(c squares) []squares { return []squares{{15, c.PerShard}, {10, c.PerShard}} }
	j, err := large.Job("quick")
	if err != nil {
		t.Fatal(err)
	}
	if s, err := large.LoadFrom(os.DirFS(dir), "quick"); err != nil || s.Result != 285 || s.Account.Done != 2 || s.Account.Shards != 4 { // 0² to 9²
		t.Errorf("%+v, %v", s, err)
	}
	if records, unusable, err := (Folder{dir, j}).Records(); err != nil || len(records) != 1 || len(unusable) > 0 {
		t.Errorf("%d records, %v, %v", len(records), unusable, err)
	}
	if added := add(t, Store{dir, j}, compute(t, j, 1, 2)...); added.Aside != "" || added.Done != 3 || !slices.Equal(added.Missing, []int{3}) || len(added.Differ) > 0 {
		t.Errorf("%+v", added)
	}
	if _, err := small.LoadFrom(os.DirFS(dir), "quick"); !errors.Is(err, ErrOtherVersion) {
		t.Errorf("the smaller config reads what the larger one stored: %v", err)
	}
	outside := compute(t, j, 3)[0]
	if err := j.check(before.Identity, outside); err == nil || !strings.Contains(err.Error(), "must be in 0 to 1") {
		t.Errorf("a shard that the smaller config does not have: %v", err)
	}
}

func TestTwoMergesAtOnce(t *testing.T) {
	j, dir := job(t, 1, "quick"), t.TempDir()
	s := Store{dir, j}
	unlock, err := s.lock()
	if err != nil {
		t.Fatal(err)
	}
	records := compute(t, j, 0)
	if _, err := s.Add(records...); !errors.Is(err, ErrLocked) || !Temporary(err) || len(listed(t, dir)) > 0 {
		t.Errorf("a second merge: %v, files %q", err, listed(t, dir))
	}
	mid := job(t, 1, "mid")
	add(t, Store{dir, mid}, compute(t, mid, 0)...) // another store is free
	unlock()
	if added := add(t, s, records...); added.Done != 1 {
		t.Errorf("after the first: %+v", added)
	}
}

// A store that is damaged is an error, and is left as it is.
func TestADamagedStoreIsNotOverwritten(t *testing.T) {
	j, dir := job(t, 1, "quick"), t.TempDir()
	s := Store{dir, j}
	add(t, s, compute(t, j, 0)...)
	whole, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{"cut": whole[:len(whole)/2], "empty": nil, "text": []byte("{}")} {
		if err := os.WriteFile(s.Path(), damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Add(compute(t, j, 1)...); err == nil || !strings.Contains(err.Error(), "is not a complete store") {
			t.Errorf("%s: %v", name, err)
		}
		if now, err := os.ReadFile(s.Path()); err != nil || !bytes.Equal(now, damaged) {
			t.Errorf("%s: was changed: %v", name, err)
		}
	}
}

// Files that cannot be used are named with the reason, and their shards count as missing.
func TestFilesThatCannotBeUsed(t *testing.T) {
	j, dir := job(t, 1, "quick"), t.TempDir()
	f := Folder{dir, j}
	if err := errors.Join(f.Add(compute(t, j, 0, 1, 2, 3)...), Folder{dir, job(t, 2, "quick")}.Add(compute(t, j, 0)...), Folder{dir, job(t, 1, "mid")}.Add(compute(t, job(t, 1, "mid"), 0)...)); err != nil {
		t.Fatal(err)
	}
	rewrite := func(index int, change func(string) string) {
		text, err := os.ReadFile(f.path(index))
		if err == nil {
			err = os.WriteFile(f.path(index), []byte(change(string(text))), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	rewrite(1, func(s string) string { return s[:len(s)/2] })
	rewrite(2, func(s string) string { return strings.Replace(s, `"index":2`, `"index":9`, 1) })
	rewrite(3, func(s string) string { return strings.Replace(s, `"result":"`, `"result":"?`, 1) })
	if err := os.WriteFile(filepath.Join(dir, ".dplab-123"), []byte("of a worker that was killed"), 0o644); err != nil {
		t.Fatal(err)
	}
	records, unusable, err := f.Records()
	if err != nil || len(records) != 1 || records[0].Index != 0 {
		t.Errorf("%v, %v", records, err)
	}
	text := errors.Join(unusable...).Error()
	for _, want := range []string{"version 2", "must be of toy2026/squares-1, profile quick, version 1", "is not a complete shard", "must be in 0 to 3", "base64"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\ndoes not say %q", text, want)
		}
	}
	if len(unusable) != 4 {
		t.Errorf("%d files are named, want 4: %s", len(unusable), text)
	}
	if got := j.Missing(records); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("missing %v", got)
	}
	if records, unusable, err := (Folder{filepath.Join(dir, "none"), j}).Records(); len(records)+len(unusable) > 0 || err != nil {
		t.Errorf("a folder that is not there: %v, %v, %v", records, unusable, err)
	}
}

// fullDisk is a file that takes so many bytes and then fails as a full disk does.
type fullDisk struct {
	*os.File
	room int
}

func (f *fullDisk) Write(data []byte) (int, error) {
	n, err := f.File.Write(data[:min(len(data), f.room)])
	if f.room -= n; err == nil && n < len(data) {
		err = syscall.ENOSPC
	}
	return n, err
}

// A disk that is full in the middle leaves what was there before, and nothing else.
func TestFullDisk(t *testing.T) {
	real := createTemp
	defer func() { createTemp = real }()
	j, dir := job(t, 1, "quick"), t.TempDir()
	s, f, records := Store{dir, j}, Folder{dir, j}, compute(t, j, 0, 1)
	add(t, s, records[0])
	if err := f.Add(records[0]); err != nil {
		t.Fatal(err)
	}
	before := listed(t, dir)
	createTemp = func(dir string) (tempFile, error) {
		file, err := os.CreateTemp(dir, "full-*")
		return &fullDisk{file, 60}, err
	}
	_, merged := s.Add(records[1])
	for what, err := range map[string]error{"store": merged, "shard": f.Add(records[1])} {
		if !errors.Is(err, syscall.ENOSPC) || !Temporary(err) || !strings.Contains(err.Error(), "cannot be written") {
			t.Errorf("%s on a full disk: %v", what, err)
		}
	}
	if after := listed(t, dir); !slices.Equal(before, after) {
		t.Errorf("files %q, before %q", after, before)
	}
	createTemp = real
	if added := add(t, s, records[1]); added.Done != 2 {
		t.Errorf("with room again: %+v", added)
	}
}

// What cannot be stored is an error that names it.
func TestFoldersThatCannotBe(t *testing.T) {
	j, dir := job(t, 1, "quick"), t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	records := compute(t, j, 0)
	_, merged := Store{filepath.Join(file, "x"), j}.Add(records...)
	_, _, read := Folder{file, j}.Records()
	for what, err := range map[string]error{"store": merged, "shards": Folder{filepath.Join(file, "x"), j}.Add(records...), "reading": read} {
		if err == nil || !strings.Contains(err.Error(), file) || Temporary(err) {
			t.Errorf("%s below a file: %v", what, err)
		}
	}
	wrong := records[0]
	wrong.Index = 9
	if _, err := (Store{dir, j}).Add(wrong); err == nil || !strings.Contains(err.Error(), "must be in 0 to 3") {
		t.Errorf("a shard that is none: %v", err)
	}
}
