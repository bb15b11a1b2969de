package imdb

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/data/internal/rawfile"

	"github.com/dplab/dplab/data"
)

var small = map[string]string{
	"aclImdb/imdb.vocab":          "the\nfilm\nit's\nwell-made\n!\nnot\n",
	"aclImdb/train/neg/0_1.txt":   "The film... NOT the film!",
	"aclImdb/train/neg/1_4.txt":   "",
	"aclImdb/train/pos/1_10.txt":  "It's<br /><br />well-made -- 'the' film",
	"aclImdb/train/pos/0_7.txt":   "film",
	"aclImdb/test/neg/0_2.txt":    "not it's unknownword",
	"aclImdb/test/neg/1_2.txt":    "not",
	"aclImdb/test/pos/0_9.txt":    "the",
	"aclImdb/test/pos/1_9.txt":    "film",
	"aclImdb/train/unsup/0_0.txt": "not read",
	"aclImdb/README":              "not read",
}

// write puts an archive of the members into a folder; spoil may change its bytes, not its sum.
func write(t *testing.T, members map[string]string, spoil func([]byte) []byte) (string, source) {
	t.Helper()
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	w := tar.NewWriter(zipped)
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(members[name]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(members[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	sum, content, dir := sha256.Sum256(b.Bytes()), b.Bytes(), t.TempDir()
	if spoil != nil {
		content = spoil(content)
	}
	if err := os.Mkdir(filepath.Join(dir, "imdb"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "imdb", "small.tar.gz"), content, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir, source{count: 2, files: []rawfile.File{
		{Name: "other.tar.gz", Sum: rawfile.MD5("none"), URLs: []string{"https://example.org/other.tar.gz"}},
		{Name: "small.tar.gz", Sum: rawfile.SHA256(hex.EncodeToString(sum[:]))},
	}}
}

// The wants are the ranks in the vocabulary above, worked out by hand: the 0, film 1, it's 2,
// well-made 3, ! 4 (no word), not 5.
func TestLoad(t *testing.T) {
	dir, s := write(t, small, nil)
	cache := rawfile.Cache{Dir: t.TempDir()}
	for _, c := range []rawfile.Cache{{}, cache, cache} { // without a cache, into it, from it
		train, test, err := s.load(dir, 4, c)
		if err != nil {
			t.Fatal(err)
		}
		const none, unknown = Padding, Tokens - 1
		want := []float32{0, 1, 5, 0, none, none, none, none, 1, none, none, none, 2, 3, 0, 1}
		if !slices.Equal(train.Features, want) || !slices.Equal(train.Labels, []int32{0, 0, 1, 1}) {
			t.Errorf("train %v, labels %v: want %v", train.Features, train.Labels, want)
		}
		if got := test.Row(0); !slices.Equal(got, []float32{5, 2, unknown, none}) {
			t.Errorf("test %v", got)
		}
		if err := errors.Join(train.Validate(), test.Validate()); err != nil {
			t.Error(err)
		}
	}
}

func TestErrors(t *testing.T) {
	without := func(name string) map[string]string {
		out := map[string]string{}
		for n, text := range small {
			if n != name {
				out[n] = text
			}
		}
		return out
	}
	renamed := without("aclImdb/test/pos/1_9.txt")
	renamed["aclImdb/test/pos/7_9.txt"] = "film"
	misnamed := without("")
	misnamed["aclImdb/test/pos/x.txt"] = "film"
	for want, members := range map[string]map[string]string{
		"has no imdb.vocab":                without("aclImdb/imdb.vocab"),
		"1 reviews in test/neg: must be 2": without("aclImdb/test/neg/0_2.txt"),
		"test/pos has no review number 1":  renamed,
		"must be named by a number":        misnamed,
	} {
		dir, s := write(t, members, nil)
		if _, _, err := s.load(dir, 4, rawfile.Cache{}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "small.tar.gz") {
			t.Errorf("error %v, want one that names the file and %q", err, want)
		}
	}
	dir, s := write(t, small, func(b []byte) []byte { return b[:len(b)/2] })
	var wrong *rawfile.ChecksumError
	if _, _, err := s.load(dir, 4, rawfile.Cache{}); !errors.As(err, &wrong) {
		t.Errorf("truncated: error %v, want a ChecksumError", err)
	}
	for _, length := range []int{0, maxLength + 1} {
		if _, _, err := s.load(dir, length, rawfile.Cache{}); err == nil || !strings.Contains(err.Error(), "length") {
			t.Errorf("length %d: error %v", length, err)
		}
	}
	if _, _, err := Load(t.TempDir(), 256); !errors.Is(err, data.ErrNotFound) || !strings.Contains(err.Error(), "aclImdb_v1.tar.gz") {
		t.Errorf("missing: error %v, want one that says what to download", err)
	}
}

// The published reviews: 25,000 of each part, half of them favorable (Maas et al. 2011).
func TestPublishedReviews(t *testing.T) {
	dir := os.Getenv(data.DirVariable)
	if _, err := os.Stat(filepath.Join(dir, "imdb")); dir == "" || err != nil {
		t.Skipf("no reviews: set %s to test with them", data.DirVariable)
	}
	if testing.Short() {
		t.Skip("reading takes some seconds")
	}
	train, test, err := Load(dir, 256)
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for _, d := range []data.Dataset{train, test} {
		favorable := 0
		for _, label := range d.Labels {
			favorable += int(label)
		}
		if d.Len() != 25000 || favorable != 12500 || d.Validate() != nil {
			t.Errorf("%s: %d reviews, %d favorable: want 25000 and 12500", d.Name, d.Len(), favorable)
		}
		for _, id := range d.Features {
			if id < Padding || id >= Tokens {
				t.Fatalf("%s: token %g", d.Name, id)
			}
			if id >= 0 && id < Tokens-1 {
				known++
			}
		}
	}
	// Loose: reviews are long, and most of their words frequent.
	if mean := float64(known) / 50000; mean < 150 || mean > 230 {
		t.Errorf("%.0f known words among the first 256 of a review: want between 150 and 230", mean)
	}
}
