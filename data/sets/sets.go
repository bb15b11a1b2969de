// Package sets lists the data sets that this module reads. The downloader (data/fetch), the
// experiments of the notebooks and the table in data/README.md take their lists from here.
//
//	digits, found := sets.Find("digits")
//	train, test, err := digits.Load("")
//
// Other options of a loader, such as the length of a review, are in its own package.
//
// It promises nothing to other modules.
package sets

import (
	"slices"
	"strings"

	"github.com/dplab/dplab/data/internal/rawfile"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/cifar"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/data/housing"
	"github.com/dplab/dplab/data/imdb"
	"github.com/dplab/dplab/data/mnist"
)

// Set is a data set with its usual split.
type Set struct {
	Name  string         // lower-case letters, digits and hyphens; also its folder below DPLAB_DATA
	About string         // its content, and the size of the download
	Files []rawfile.File // what to download; nil if nothing

	// Load reads the two parts. dir is as in [data.Dir]: "" means DPLAB_DATA.
	Load func(dir string) (train, test data.Dataset, err error)
}

// All returns the data sets, those that need no download first.
func All() []Set {
	return []Set{
		{"digits", "1,437 + 360 images of 8x8 pixels, embedded", nil, embedded(digits.Load)},
		{"mnist", "60,000 + 10,000 images; 12 MB", mnist.Files(), mnist.Load},
		{"fashion-mnist", "60,000 + 10,000 images; 31 MB; MIT license", mnist.FashionFiles(), mnist.LoadFashion},
		{"cifar-10", "50,000 + 10,000 images; 170 MB, 185 MB on disk", cifar.Files(), cifar.Load},
		{"california-housing", "20,640 districts; 0.4 MB, 2 MB on disk", housing.Files(), stratified(housing.Load)},
		{"imdb", "25,000 + 25,000 reviews; 84 MB", imdb.Files(), reviews},
	}
}

// Find returns the data set of that name.
func Find(name string) (Set, bool) {
	all := All()
	i := slices.IndexFunc(all, func(s Set) bool { return s.Name == name })
	if i < 0 {
		return Set{}, false
	}
	return all[i], true
}

// Names returns the names of data sets, separated by commas, for errors and usage.
func Names(of []Set) string {
	list := make([]string, len(of))
	for i, s := range of {
		list[i] = s.Name
	}
	return strings.Join(list, ", ")
}

// embedded is the loader of a data set that needs no folder.
func embedded(load func() (train, test data.Dataset, err error)) func(string) (train, test data.Dataset, err error) {
	return func(string) (train, test data.Dataset, err error) { return load() }
}

// stratified splits a data set that has no test part: every 5th example of a class is test.
func stratified(load func(dir string) (data.Dataset, error)) func(string) (train, test data.Dataset, err error) {
	return func(dir string) (train, test data.Dataset, err error) {
		all, err := load(dir)
		if err != nil {
			return data.Dataset{}, data.Dataset{}, err
		}
		return data.SplitStratified(all, 5)
	}
}

// reviews reads reviews of 256 tokens, the length that models.IMDB takes.
func reviews(dir string) (train, test data.Dataset, err error) { return imdb.Load(dir, 256) }
