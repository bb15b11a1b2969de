package housing

import (
	"fmt"
	"math"
	"strings"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/data"
)

// Scale says how one column of the file becomes a feature: (x - Middle) / Spread, of x or of
// its logarithm to base ten.
type Scale struct {
	Column         string
	Log            bool
	Middle, Spread float64
}

// Scales are those of the eight features, in the order of the file: California lies within
// 10 degrees of longitude and of latitude, the census counts an age of 52 years for all
// that is older, and an income of 15 (times 10,000 dollars) for all that is higher.
var Scales = [width]Scale{
	{Column: "longitude", Middle: -119, Spread: 5},
	{Column: "latitude", Middle: 37, Spread: 5},
	{Column: "housing_median_age", Middle: 26, Spread: 26},
	{Column: "total_rooms", Log: true, Middle: 3, Spread: 1},
	{Column: "total_bedrooms", Log: true, Middle: 3, Spread: 1},
	{Column: "population", Log: true, Middle: 3, Spread: 1},
	{Column: "households", Log: true, Middle: 3, Spread: 1},
	{Column: "median_income", Middle: 5, Spread: 5},
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
		for j, scale := range Scales {
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

func (s Scale) feature(text string) (float32, error) {
	x, err := check.Decimal(text)
	if err != nil {
		return 0, fmt.Errorf("%s %q: %w", s.Column, text, err)
	}
	if s.Log {
		if x <= 0 {
			return 0, fmt.Errorf("%s %q: must be > 0", s.Column, text)
		}
		x = math.Log10(x)
	}
	feature := float32((x - s.Middle) / s.Spread)
	if math.IsInf(float64(feature), 0) {
		return 0, fmt.Errorf("%s %q: must be within 1e38", s.Column, text)
	}
	return feature, nil
}
