// Package papers holds published numbers, typed and cited, one file for each paper. Our
// results are compared with them; nothing here is computed by this repository.
//
// Every number says where it was read and how well it could be read there:
//
//   - Printed: the text or a table prints it. AbsErr is half of the last printed digit,
//     more if the text says "around".
//   - Stated: the text says it in words. Number and AbsErr are the form that we give to the
//     sentence, such as 1 for "decreases", or 0.01 for "negligible".
//   - Digitized: measured in a figure. AbsErr is how well that could be done.
//   - Recomputed: a formula or data that the authors printed or published, evaluated by a
//     program that shares no code with this repository. AbsErr is that program's error.
//
// Where a figure could not be read its type says so, and has no numbers for it.
//
//	v := papers.Papernot2022.Figure1.BestHingeWeight
//	fmt.Println(v.Number, v.Source) // 8, Papernot and Steinke (ICLR 2022), Section 2, printed
package papers

import "fmt"

// Read says how a number was read.
type Read int

// The ways to read a number. The zero value is none of them.
const (
	Printed    Read = iota + 1 // in the text or a table
	Stated                     // in words, which we turned into a number
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

// Source says where a number comes from and how well it is known.
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
