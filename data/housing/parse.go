package housing

import (
	"fmt"
	"math"
	"strings"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/data"
)

// column describes how one column of the file becomes a feature: (x - middle) / spread, of x or of
// its logarithm to base ten.
type column struct {
	name           string
	log            bool
	middle, spread float64
}

// scales are those of the eight features, in the order of the file. California lies within 10
// degrees of longitude and of latitude. The census counts an age of 52 years for all that is older,
// and an income of 15 (times 10,000 dollars) for all that is higher.
var scales = [width]column{
	{name: "longitude", middle: -119, spread: 5},
	{name: "latitude", middle: 37, spread: 5},
	{name: "housing_median_age", middle: 26, spread: 26},
	{name: "total_rooms", log: true, middle: 3, spread: 1},
	{name: "total_bedrooms", log: true, middle: 3, spread: 1},
	{name: "population", log: true, middle: 3, spread: 1},
	{name: "households", log: true, middle: 3, spread: 1},
	{name: "median_income", middle: 5, spread: 5},
}

// parse reads the rows of the file: nine numbers, separated by commas, the last the value of
// the median house.
func parse(path string, content []byte) (data.Dataset, error) {
	d := data.Dataset{Name: set, Shape: []int{width}, Classes: classes}
	for i, line := range strings.Split(strings.TrimRight(string(content), "\r\n"), "\n") {
		fields := strings.Split(strings.TrimRight(line, "\r"), ",")
		if len(fields) != width+1 {
			return data.Dataset{}, fmt.Errorf("housing: %s: line %d has %d fields: must have %d", path, i+1, len(fields), width+1)
		}
		for j, scale := range scales {
			x, err := scale.feature(fields[j])
			if err != nil {
				return data.Dataset{}, fmt.Errorf("housing: %s: line %d: %w", path, i+1, err)
			}
			d.Features = append(d.Features, x)
		}
		value, err := check.Decimal(fields[width])
		if err != nil || !(value > 0) {
			return data.Dataset{}, fmt.Errorf("housing: %s: line %d: median_house_value %q: must be a number > 0", path, i+1, fields[width])
		}
		label := int32(0)
		if value >= Threshold {
			label = 1
		}
		d.Labels = append(d.Labels, label)
	}
	if err := d.Validate(); err != nil {
		return data.Dataset{}, fmt.Errorf("housing: %s: %w", path, err)
	}
	return d, nil
}

func (s column) feature(text string) (float32, error) {
	x, err := check.Decimal(text)
	if err != nil {
		return 0, fmt.Errorf("%s %q: %w", s.name, text, err)
	}
	if s.log {
		if x <= 0 {
			return 0, fmt.Errorf("%s %q: must be > 0", s.name, text)
		}
		x = math.Log10(x)
	}
	feature := float32((x - s.middle) / s.spread)
	if math.IsInf(float64(feature), 0) {
		return 0, fmt.Errorf("%s %q: must be within 1e38", s.name, text)
	}
	return feature, nil
}
