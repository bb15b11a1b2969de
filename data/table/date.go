package table

import (
	"cmp"
	"fmt"
	"time"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/data/internal/bounds"
)

// Date is a column of dates or times, which becomes one feature in [-1, 1]. A date outside of the
// bounds is moved to the nearer one. A time without a zone is in UTC.
//
//	2 (t - First)/(Last - First) - 1
type Date struct {
	Column      string // Required.
	First, Last string // public bounds in the column's layout, First before Last. Required.
	Layout      string // as in package time; "" is a date or a time of ISO 8601, as pandas writes it
	MarkMissing bool   // one feature more: 1 for an empty field, whose date is then the middle, and 0 otherwise
}

// usualLayouts are what pandas, R and databases write. Fractions of a second are read too.
var usualLayouts = []string{time.DateOnly, time.DateTime, "2006-01-02T15:04:05", time.RFC3339, "2006-01-02 15:04:05Z07:00"}

func (d Date) column() string  { return d.Column }
func (d Date) names() []string { return withMissing(d.Column, d.MarkMissing) }

// seconds returns a date in seconds since 1970.
func (d Date) seconds(text string) (float64, error) {
	for _, layout := range usualLayouts {
		if t, err := time.Parse(cmp.Or(d.Layout, layout), text); err == nil {
			return float64(t.Unix()) + float64(t.Nanosecond())/1e9, nil
		}
	}
	return 0, fmt.Errorf("%s: must be a date such as %q", quoted(text), cmp.Or(d.Layout, time.DateOnly))
}

func (d Date) validate(f *check.Faults) {
	field := fmt.Sprintf("Date %q: ", d.Column)
	if d.First == "" && d.Last == "" {
		f.That(false, field+"First and Last", "are not given", bounds.WhyPublic)
		return
	}
	first, err := d.seconds(d.First)
	f.That(err == nil, field+"First", quoted(d.First), "must be a date in the layout of the column")
	last, err2 := d.seconds(d.Last)
	f.That(err2 == nil, field+"Last", quoted(d.Last), "must be a date in the layout of the column")
	f.That(err != nil || err2 != nil || first < last, field+"First", fmt.Sprintf("%s, Last %s", d.First, d.Last), "must be First before Last")
}

func (d Date) appender() appender {
	first, _ := d.seconds(d.First) // validate has seen the errors
	last, _ := d.seconds(d.Last)
	return func(features []float32, field string) ([]float32, error) {
		if field == "" && d.MarkMissing {
			return append(features, 0, 1), nil
		}
		at, err := d.seconds(field)
		if field == "" {
			err = fmt.Errorf("is empty: must be a date (or set Date.MarkMissing)")
		}
		features = append(features, float32(bounds.Scaled(at, first, last)))
		if d.MarkMissing {
			features = append(features, 0)
		}
		return features, err
	}
}

// withMissing returns the names of a column's one or two features.
func withMissing(column string, marked bool) []string {
	if marked {
		return []string{column, column + " (missing)"}
	}
	return []string{column}
}
