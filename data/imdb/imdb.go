// Package imdb reads the Large Movie Review Dataset: 25,000 training and 25,000 test reviews,
// half of them favorable (label 1), as lists of token ids.
//
// A review becomes lower-case words, each its rank in the published vocabulary imdb.vocab, whose
// order is by frequency. Words of rank Tokens-1 or above share the id Tokens-1. Lists are cut to a
// length that the caller chooses, or filled up with Padding. The tokens are words. Opacus's example
// uses as many pieces of words instead. The vocabulary was counted in the reviews themselves: a
// guarantee for private reviews takes it as given.
//
// The archive is not part of this module. It is expected in the folder imdb of the given folder, or
// of DPLAB_DATA. It may be as published, or hold only the labeled reviews, packed by bzip2. Its
// checksum is verified before it is used. Reading it takes some seconds, once: rawfile.UserCache
// keeps the ids.
//
//	train, test, err := imdb.Load("", 256)
//
// Reference: Maas et al. (2011), "Learning word vectors for sentiment analysis", ACL.
//
// It promises nothing to other modules.
package imdb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"github.com/dplab/dplab/data/internal/rawfile"

	"github.com/dplab/dplab/data"
)

const (
	// Tokens is the number of ids. The last id represents all words that have none.
	Tokens = 28996
	// Padding fills up a short review.
	Padding = -1
	// classes is the number of labels: 0 for an unfavorable review, 1 for a favorable one.
	classes = 2
	// maxLength is the largest length of a list.
	maxLength = 4096
)

// Load reads the reviews from dir/imdb, where dir is as in data.Dir: "" means DPLAB_DATA. length
// is the number of ids of a review, in [1, 4096].
func Load(dir string, length int) (train, test data.Dataset, err error) {
	cache, err := rawfile.UserCache()
	if err != nil {
		cache = rawfile.Cache{} // without a cache folder loading is only slower
	}
	return published.load(dir, length, cache)
}

// Files returns the published archive, in the folder imdb.
func Files() []rawfile.File { return published.files[:1] }

// source describes the archives that may be there, and how many reviews each of the four folders
// holds. It is a value because tests read small ones.
type source struct {
	files []rawfile.File
	count int
}

var published = source{
	files: []rawfile.File{
		{
			Name: "aclImdb_v1.tar.gz", Sum: rawfile.SHA256("c40f74a18d3b61f90feba1e17730e0d38e8b97c05fde7008942e91923d1658fe"),
			URLs: []string{"https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz"},
		},
		{Name: "aclImdb_labeled.tar.bz2", Sum: rawfile.SHA256("dc89a1259809e532f1f7ee1a856862e8b9fc5aaaba2d2f0866d7a91466ea3758")},
	},
	count: 12500,
}

func (s source) load(dir string, length int, cache rawfile.Cache) (train, test data.Dataset, err error) {
	fail := func(err error) (data.Dataset, data.Dataset, error) {
		return data.Dataset{}, data.Dataset{}, fmt.Errorf("imdb: %w", err)
	}
	if length < 1 || length > maxLength {
		return fail(fmt.Errorf("length %d: must be in [1, %d]", length, maxLength))
	}
	path, file, err := s.find(dir)
	if err != nil {
		return fail(err)
	}
	read := func() ([]byte, error) { return s.ids(path, file.Sum, length) }
	var ids []byte
	if cache.Dir == "" {
		ids, err = read()
	} else {
		ids, err = cache.Bytes(fmt.Sprintf("imdb-%d-%d", Tokens, length), file.Sum, read)
	}
	if err != nil {
		return fail(err)
	}
	half := len(ids) / 2
	return s.dataset("imdb/train", ids[:half], length), s.dataset("imdb/test", ids[half:], length), nil
}

// find returns the first archive that is there.
func (s source) find(dir string) (string, rawfile.File, error) {
	for _, f := range s.files {
		paths, err := rawfile.Locate(dir, "imdb", []rawfile.File{f})
		if err == nil {
			return paths[0], f, nil
		}
		if !errors.Is(err, data.ErrNotFound) && !errors.Is(err, os.ErrNotExist) {
			return "", f, err
		}
	}
	_, err := rawfile.Locate(dir, "imdb", s.files[:1])
	return "", rawfile.File{}, err
}

// dataset turns ids, two bytes each, into a data set. The unfavorable reviews come first.
func (s source) dataset(name string, ids []byte, length int) data.Dataset {
	d := data.Dataset{Name: name, Shape: []int{length}, Classes: classes, Features: make([]float32, len(ids)/2)}
	for i := range d.Features {
		d.Features[i] = Padding
		if id := binary.LittleEndian.Uint16(ids[2*i:]); id != padded {
			d.Features[i] = float32(id)
		}
	}
	for i := range 2 * s.count {
		d.Labels = append(d.Labels, int32(i/s.count))
	}
	return d
}
