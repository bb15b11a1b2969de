package pld_test

import (
	_ "embed"
	"encoding/csv"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/pld"
)

func laplace(b float64) accounting.Event { return accounting.Laplace{NoiseMultiplier: b} }

func gaussian(sigma float64) accounting.Event { return accounting.Gaussian{NoiseMultiplier: sigma} }

func sampled(q float64, event accounting.Event) accounting.Event {
	return accounting.PoissonSampled{SamplingRate: q, Event: event}
}

func times(event accounting.Event, count int) accounting.Event {
	return accounting.SelfComposed{Event: event, Count: count}
}

func sgd(q, sigma float64, steps int) accounting.Event {
	return times(sampled(q, gaussian(sigma)), steps)
}

func heterogeneous(more ...accounting.Event) accounting.Event {
	return accounting.Composed{Events: append([]accounting.Event{
		sgd(0.01, 1.5, 1000), sgd(0.02, 2.5, 2000), sgd(0.005, 0.9, 1500),
	}, more...)}
}

//go:embed testdata/reference.csv
var referenceText string

type row struct {
	id          string
	q, sigma    float64
	steps       int
	delta, want float64
}

const referenceSource = "testdata/reference.csv: contour integral on two contours, and at 40 digits on a third"

func readRows(t testing.TB) []row {
	t.Helper()
	r := csv.NewReader(strings.NewReader(referenceText))
	r.Comment = '#'
	records, err := r.ReadAll()
	if err != nil || len(records) != 13 {
		t.Fatalf("reference: %d records, %v: must be a header and 12 rows", len(records), err)
	}
	var rows []row
	for _, fields := range records[1:] {
		n := make([]float64, 6)
		for i := 1; i < 6; i++ {
			if n[i], err = strconv.ParseFloat(fields[i], 64); err != nil {
				t.Fatal(err)
			}
		}
		rows = append(rows, row{fields[0], n[1], n[2], int(n[3]), n[4], n[5]})
	}
	return rows
}

// check asks for the interval and reports if the known value, good to margin, is outside, or
// if it is wider than asked for without saying so.
func check(t *testing.T, a pld.Accountant, event accounting.Event, delta, want, margin float64, source string) {
	t.Helper()
	g, err := a.EpsilonAt(event, delta)
	if err != nil {
		t.Errorf("%v: %v", event, err)
		return
	}
	e := g.Epsilon
	if want < e.Lower-margin || want > e.Upper+margin {
		t.Errorf("ε(%v, δ=%g) in [%.12g, %.12g], the truth is %.12g; %s", event, delta, e.Lower, e.Upper, want, source)
	}
	width := a.Width
	if width == 0 {
		width = 0.01
	}
	wide := len(g.Warnings) > 0 && errors.Is(g.Warnings[0], pld.ErrWide)
	if e.Width() > width*(1+1e-6) && !wide {
		t.Errorf("ε(%v, δ=%g): width %g is not reached and no warning says so", event, delta, e.Width())
	}
}

func TestReferenceRows(t *testing.T) {
	for i, r := range readRows(t) {
		if testing.Short() && i%3 > 0 {
			continue
		}
		check(t, pld.NewAccountant(), sgd(r.q, r.sigma, r.steps), r.delta, r.want, 2e-8*math.Max(1, r.want/100), referenceSource)
	}
}

// More values, of which the last digit may be rounded.
func TestFurtherValues(t *testing.T) {
	const source = "contour integral of the moment generating function, all digits given agree at 40 digits"
	const phases = "contour integral of the moment generating function, 6 digits"
	for _, c := range []struct {
		event               accounting.Event
		delta, want, margin float64
		source              string
	}{
		{heterogeneous(), 1e-5, 2.231225786852, 1e-9, source},
		{heterogeneous(laplace(2)), 1e-5, 2.641699, 1e-6, phases},
		{sgd(0.01, 1, 1000), 1e-100, 29.5987, 1e-4, source},
		{times(sampled(0.2, laplace(0.5)), 3), 1e-12, 3 * math.Log1p(0.2*math.Expm1(2)), 1e-7,
			"three times the largest loss, log(1-q+q e^{1/b}); dp_accounting test: 2.46964 at δ -> 0"},
	} {
		check(t, pld.NewAccountant(), c.event, c.delta, c.want, c.margin, c.source)
	}
	check(t, pld.Accountant{Width: 0.1}, sgd(0.01, 1, 1000), 1e-300, 85.5443, 1e-4, source)
}

// Certified intervals of another accountant hold the same truth, so ours must meet them.
// They are for one direction, remove, which is the larger here.
func TestMeetsPRVAccountant(t *testing.T) {
	const source = "microsoft/prv_accountant at a844f72, eps_error 0.01"
	for _, c := range []struct {
		event             accounting.Event
		delta, low, upper float64
	}{
		{accounting.Composed{Events: []accounting.Event{sgd(5e-3, 0.8, 100), times(gaussian(8), 200), times(laplace(10), 100)}},
			1e-6, 11.138282093399697, 11.158365382353482},
		{sgd(5e-3, 0.8, 1000), 1e-6, 1.9939209973330194, 2.014295385711383},
		{sgd(0.01, 1, 1000), 1e-5, 1.8181076361037256, 1.8383716357818642},
		{sgd(0.01, 0.8, 2000), 1e-6, 4.9341943336874134, 4.954748440645939},
	} {
		g, err := pld.NewAccountant().EpsilonAt(c.event, c.delta)
		if err != nil {
			t.Fatal(err)
		}
		if g.Epsilon.Lower > c.upper || g.Epsilon.Upper < c.low {
			t.Errorf("ε(%v, δ=%g) %v does not meet [%g, %g] of %s", c.event, c.delta, g.Epsilon, c.low, c.upper, source)
		}
	}
}
