// Package papers holds published numbers, typed and cited, one file for each paper. Our results are
// compared with them. This repository computes none of them.
//
// Every number has a source, which gives the place and how well the number could be read:
//
//   - Printed: the text or a table prints it. AbsErr is half of the last printed digit, more if the
//     text has "around".
//   - Stated: the text claims it in words. We chose Number and AbsErr for the sentence, such as 1
//     for "decreases", or 0.01 for "negligible".
//   - Digitized: measured in a figure. AbsErr is the error of that.
//   - Recomputed: a formula or data that the authors printed or published, evaluated by a program
//     that shares no code with this repository. AbsErr is that program's error.
//
// If a figure could not be read, its type has no numbers for it, and its comment states that.
//
//	v := papers.Papernot2022.Figure1.BestHingeWeight
//	fmt.Println(v.Number, v.Source) // 8, Papernot and Steinke (ICLR 2022), Section 2, printed
//
// It promises nothing to other modules.
package papers

import "fmt"

// Read is the way in which a number was read.
type Read int

// The ways to read a number. The zero value is none of them.
const (
	Printed    Read = iota + 1 // in the text or a table
	Stated                     // in words, for which we chose a number
	Digitized                  // measured in a figure
	Recomputed                 // from a printed formula or published data, by an independent program
)

var readNames = map[Read]string{Printed: "printed", Stated: "stated", Digitized: "digitized", Recomputed: "recomputed"}

// Valid reports whether r is one of the ways to read a number.
func (r Read) Valid() bool { return readNames[r] != "" }

// String returns "printed", "stated", "digitized" or "recomputed".
func (r Read) String() string {
	if !r.Valid() {
		return fmt.Sprintf("Read(%d)", int(r))
	}
	return readNames[r]
}

// ParseRead returns the way that String calls name.
func ParseRead(name string) (Read, error) {
	for r, own := range readNames {
		if own == name {
			return r, nil
		}
	}
	return 0, fmt.Errorf("papers: read %q: must be printed, stated, digitized or recomputed", name)
}

// Source is where a number comes from and how well it is known.
type Source struct {
	Paper  string  // with its version
	Where  string  // section, figure or table; for Recomputed also what was evaluated
	Read   Read    // how it was read
	AbsErr float64 // how well, >= 0, in the unit of the number
}

// String cites the source in one line.
func (s Source) String() string { return fmt.Sprintf("%s, %s, %v", s.Paper, s.Where, s.Read) }

// Value is one published number.
type Value struct {
	Quantity string // what it is, with its parameters and unit
	Number   float64
	Source   Source
}
