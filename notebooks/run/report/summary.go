package report

import (
	"fmt"
	"strings"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/index"
)

// outcome is the line of one paper in the summary: what the comparisons confirm, refute and leave
// open.
type outcome struct {
	Notebook notebook
	Title    string // of the paper
	Counts   figures.Tally
	Confirms []link  // the items with a number or a sentence that holds
	Refutes  []claim // with the reason of the item
	Open     []claim
	Silent   []link // items that are shown, without anything to compare
}

// claim is an item with rows that are refuted or open.
type claim struct {
	link
	Rows int
	Why  string
}

// Confirmed counts the numbers and sentences of the paper that hold, without what a second program
// computed.
func (o outcome) Confirmed() string {
	var parts []string
	for _, of := range []struct {
		n    int
		what string
	}{{o.Counts.Printed.Agree, "number"}, {o.Counts.Stated.Agree, "sentence"}} {
		switch {
		case of.n == 1:
			parts = append(parts, "1 "+of.what)
		case of.n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", of.n, of.what))
		}
	}
	return strings.Join(parts, ", ")
}

// newOutcomes returns a line for each paper whose notebook is on the page.
func newOutcomes(notebooks []notebook) (lines []outcome) {
	for _, n := range notebooks {
		for _, p := range index.Papers {
			if p.Name == paperOf(n.Run) {
				lines = append(lines, newOutcome(p, n))
			}
		}
	}
	return lines
}

func newOutcome(p figures.Paper, n notebook) outcome {
	o := outcome{Notebook: n, Title: p.Title, Counts: n.Tally}
	for i, it := range append(p.Items[:len(p.Items):len(p.Items)], p.Beyond...) {
		beyond := i >= len(p.Items)
		place := link{Name: it.Name}
		if beyond {
			place.Name = it.About
		}
		var sum figures.Tally
		for _, made := range n.Items {
			for _, name := range it.Shows {
				if made.Name != name {
					continue
				}
				if place.URL == "" {
					place.URL = "#" + made.ID
				}
				sum = sum.Add(made.Tally)
			}
		}
		why := it.Because
		if refuted := sum.Refuted(); refuted > 0 {
			o.Refutes = append(o.Refutes, claim{place, refuted, why})
			why = "" // it is about these rows
		}
		if open := sum.Open(); open > 0 {
			o.Open = append(o.Open, claim{place, open, why})
		}
		switch {
		case beyond:
		case sum.Printed.Agree+sum.Stated.Agree > 0:
			o.Confirms = append(o.Confirms, place)
		case sum.Of() == 0 && place.URL != "":
			o.Silent = append(o.Silent, place)
		}
	}
	o.Confirms, o.Silent = named(o.Confirms), named(o.Silent)
	return o
}

// named shortens "Figure 1", "Figure 2" to "Figures 1", "2".
func named(items []link) []link {
	kind := func(i int) string {
		word, _, _ := strings.Cut(items[i].Name, " ")
		return word
	}
	short := make([]link, len(items))
	for i, it := range items {
		short[i] = it
		switch same := func(j int) bool { return j >= 0 && j < len(items) && kind(j) == kind(i) }; {
		case same(i - 1):
			short[i].Name = strings.TrimPrefix(it.Name, kind(i)+" ")
		case same(i + 1):
			short[i].Name = kind(i) + "s" + strings.TrimPrefix(it.Name, kind(i))
		}
	}
	return short
}

// apart is a comparison with many differences that show nothing, because a setting is our choice.
// The summary counts it by itself: it would hide all others.
type apart struct {
	link
	Count figures.Count
	Why   string
}

// manyChoices is how many such differences set a comparison apart.
const manyChoices = 10

// newApart returns the comparisons with printed numbers that are counted apart.
func newApart(notebooks []notebook) (list []apart) {
	for _, n := range notebooks {
		for _, it := range n.Items {
			if it.Tally.Printed.OurChoice <= manyChoices {
				continue
			}
			a := apart{link{it.Title, "#" + it.ID}, it.Tally.Printed, ""}
			if item := itemOf(paperOf(n.Run), it.Name); item.Name != "" {
				a.Name, a.Why = fmt.Sprintf("%s %s", paperOf(n.Run), item.Name), item.Because
			}
			list = append(list, a)
		}
	}
	return list
}

// itemOf returns the paper's item that shows the artifact of a name, or an empty item.
func itemOf(paper, artifact string) figures.Item {
	for _, p := range index.Papers {
		if p.Name != paper {
			continue
		}
		for _, it := range p.Items {
			for _, name := range it.Shows {
				if name == artifact {
					return it
				}
			}
		}
	}
	return figures.Item{}
}

// tile is a count of the summary.
type tile struct {
	figures.Count
	What string
}

// newTiles returns the counts, those of printed numbers without what is counted apart.
func newTiles(all figures.Tally, without []apart) (tiles []tile) {
	printed, what := all.Printed, "printed numbers agree"
	for i, a := range without {
		printed = printed.Minus(a.Count)
		what += []string{", outside of ", " and "}[min(i, 1)] + a.Name
	}
	for _, t := range []tile{{printed, what}, {all.Stated, "sentences as the text says"}, {all.Recomputed, "confirmed by a second program"}} {
		if t.Of() > 0 {
			tiles = append(tiles, t)
		}
	}
	return tiles
}
