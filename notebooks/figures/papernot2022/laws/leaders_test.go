package laws

import (
	"math"
	"slices"
	"testing"
)

func TestLeaders(t *testing.T) {
	poisson := func(s Stretch) bool { return s.Family == Poisson }
	families := []Family{TNB(0), TNB(1), Poisson}
	prices := [][]float64{{1, 5}, {2, 10}, {1, 10}}
	bought := [][]float64{{1, 1}, {0, 2}, {0, 0.1}} // the second crosses the first at price 6, where the first has ended
	got := Leaders(families, prices, bought, 1, 9)
	if len(got) != 1 || got[0].Family != TNB(0) || !got[0].Ended || math.Abs(got[0].To-5) > 0.02 {
		t.Errorf("%+v: want the first to 5, where it ends", got)
	}
	prices[0][1] = 20
	got = Leaders(families, prices, bought, 1, 9)
	if len(got) != 2 || got[1].Family != TNB(1) || math.Abs(got[1].From-6) > 0.02 || got[1].To != 9 || got[1].Ended {
		t.Errorf("%+v: want the second from 6 to 9", got)
	}
	// Nor does one of less than LeastLead: the third, 0.0005 above the first, never leads.
	prices[2], bought[2] = []float64{1, 3, 4, 10}, []float64{0, 1.0005, 1.0005, 1}
	if got = Leaders(families, prices, bought, 1, 9); slices.ContainsFunc(got, poisson) {
		t.Errorf("%+v: want no Poisson", got)
	}
	// A lead over less than a fiftieth of the range does not count.
	prices[2], bought[2] = []float64{1, 3, 3.001, 3.1, 3.101, 10}, []float64{0, 0, 5, 5, 0, 0}
	if got = Leaders(families, prices, bought, 1, 9); len(got) != 2 || got[0].Family != TNB(0) || slices.ContainsFunc(got, poisson) {
		t.Errorf("%+v: want no Poisson", got)
	}
}
