// Package housing reads the California housing data: 20,640 districts of the census of 1990 with
// eight features each. A label is 1 if the median house is worth at least 180,000 dollars, which
// holds for half of the districts.
//
// The publication of 1997 is about regression. As a set of two classes it serves to audit small
// models. Such an audit must state its threshold; here it is [Threshold].
//
// Features are brought to about [-1, 1] by public constants (scales in parse.go), never by
// statistics of the data. Counts of rooms and people enter by their logarithm.
//
// The file is not part of this module. It is expected in the folder california-housing of the given
// folder, or of DPLAB_DATA. An error lists what to download.
//
//	all, err := housing.Load("")
//	train, test, err := data.SplitStratified(all, 5)
//
// Reference: Pace and Barry, "Sparse spatial autoregressions", Statistics & Probability
// Letters 33 (1997).
//
// It promises nothing to other modules.
package housing

import (
	"fmt"

	"github.com/dplab/dplab/data/internal/rawfile"

	"github.com/dplab/dplab/data"
)

const (
	// Count is the number of districts.
	Count = 20640
	// width is the number of features of a district.
	width = 8
	// classes is the number of labels: 0 below the threshold, 1 from it on.
	classes = 2
	// Threshold is the least value of the median house, in dollars, of a district with label 1.
	Threshold = 180_000

	set      = "california-housing"
	fileName = "cal_housing.data"
)

// Load reads the data set from dir/california-housing, where dir is as in data.Dir: "" means
// DPLAB_DATA. Districts are in the order of the file, which is by place. Split them at random or by
// data.SplitStratified.
func Load(dir string) (data.Dataset, error) { return published.load(dir) }

// Files returns the one file of the data set, in the folder california-housing.
func Files() []rawfile.File { return published.files() }

// source describes the file. Sum and count are fields because tests read small files.
type source struct {
	sum   rawfile.Checksum
	count int
}

var published = source{
	sum:   rawfile.SHA256("a2b44dcc7e1c9091b43c4f458b25cbd1f7e8068d08edd26bc4703108d3fa6214"),
	count: Count,
}

func (s source) files() []rawfile.File {
	return []rawfile.File{{
		Name: fileName, Sum: s.sum,
		URLs: []string{"https://ndownloader.figshare.com/files/5976036"},
		Archive: &rawfile.Archive{
			Sum:    rawfile.SHA256("aaa5c9a6afe2225cc2aed2723682ae403280c4a3695a2ddda4ffb5d8215ea681"),
			Member: "CaliforniaHousing/cal_housing.data",
		},
	}}
}

func (s source) load(dir string) (data.Dataset, error) {
	paths, err := rawfile.Locate(dir, set, s.files())
	if err != nil {
		return data.Dataset{}, fmt.Errorf("housing: %w", err)
	}
	content, err := rawfile.ReadFile(paths[0], s.sum)
	if err != nil {
		return data.Dataset{}, fmt.Errorf("housing: %w", err)
	}
	d, err := parse(paths[0], content)
	if err != nil {
		return data.Dataset{}, err
	}
	if d.Len() != s.count {
		return data.Dataset{}, fmt.Errorf("housing: %s: %d districts: must be %d", paths[0], d.Len(), s.count)
	}
	return d, nil
}
