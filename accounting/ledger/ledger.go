// Package ledger keeps the releases on one data set in a file, and reports what they cost and what
// is left of a budget.
//
// The file has JSON lines. The first has the data set, the relation, the budget and the plan: fixed
// or adaptive. Each other line is a release. Lines are appended under a lock and synced, and never
// changed. Each ends with a hash of itself and of the line before, so an edit by hand is seen.
// Lines that are missing at the end are not seen: [Ledger.Sum], the last hash, names the whole
// file.
//
// If the plan is fixed, neither a parameter of a release nor their number was chosen by an answer.
// The price is that of the composition. Otherwise it is that of a [Filter].
//
//	budget := accounting.Target{Epsilon: 3, Delta: 1e-6}
//	head, err := ledger.NewHead("survey", accounting.AddOrRemoveOne, budget, ledger.Renyi, 0)
//	err = ledger.New("survey.ledger", head)
//	release := ledger.Release{Date: "2026-11-29", Delta: 1e-6, Event: event}
//	before, err := ledger.Add("survey.ledger", release, false)
//
// A release must be added before it runs. Under a filter it must end before the next one is chosen.
//
// It promises nothing to other modules.
package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/eventjson"
)

// Head is the first line of a file. [NewHead] makes it.
type Head struct {
	Data        string // the name or the fingerprint of the data set
	Neighboring accounting.Neighboring
	Budget      accounting.Target
	Filter      Filter
	Constant    float64 // what releases may take in all: D at Order, 1/µ or ρ; 0 if Fixed
	Order       float64 // of Renyi, > 1
	Failure     float64 // of ZCDP: the chance that releases show the data, in (0, 1)
}

// Release is one line after the first.
type Release struct {
	Date  string           // as 2026-11-29
	Note  string           // may be empty
	Delta float64          // the δ that was asked about; under ZCDP, what the release takes
	Event accounting.Event // what was released
}

// Ledger is what a file has.
type Ledger struct {
	Head
	Releases []Release
	Sum      string // the hash of the last line, and so of all lines
	Torn     []byte // the start of a line whose append was cut off; it is not a release

	whole   int  // bytes of whole lines
	unended bool // the last of them lacks its end
}

// version is the format of the file.
const version = 1

var (
	// ErrOver is wrapped by the error of a release that does not fit.
	ErrOver = errors.New("does not fit into the budget")
	// ErrChanged is wrapped by the error of a file that was edited.
	ErrChanged = errors.New("was changed by hand, or a line before it was removed or added")
)

func (h Head) validate() error {
	f := check.In("ledger: ")
	f.That(strings.TrimSpace(h.Data) != "" && utf8.ValidString(h.Data), "data", fmt.Sprintf("%q", h.Data), "must be the name or the fingerprint of the data set")
	f.Below("neighboring", h.Neighboring.Validate())
	f.Add(h.Budget.Validate())
	f.That(h.Filter == Fixed || h.Filter.Theorem() != "", "filter", fmt.Sprintf("%q", h.Filter), "must be renyi, gaussian or zcdp")
	f.That((h.Order != 0) == (h.Filter == Renyi), "order", h.Order, "must be given with the filter renyi only")
	f.That((h.Failure != 0) == (h.Filter == ZCDP), "failure", h.Failure, "must be given with the filter zcdp only")
	if whole := h.Whole(); whole != nil {
		f.Below("filter "+string(h.Filter), whole.Validate())
	}
	return f.Err()
}

// validateRelease checks a release for a file with this head.
func (h Head) validateRelease(r Release) error {
	f := check.In("ledger: ")
	_, err := time.Parse(time.DateOnly, r.Date)
	f.That(err == nil, "date", fmt.Sprintf("%q", r.Date), "must be a day, as 2026-11-29")
	f.That(utf8.ValidString(r.Note), "note", fmt.Sprintf("%q", r.Note), "must be UTF-8")
	f.Number("delta", r.Delta, check.OpenUnit)
	return f.Err()
}

// Plan returns "fixed" or "adaptive".
func (h Head) Plan() string {
	if h.Filter == Fixed {
		return "fixed"
	}
	return "adaptive"
}

func (h Head) line() ([]byte, error) {
	return sealed("", "ledger", version, "data", h.Data, "neighboring", h.Neighboring, "epsilon", h.Budget.Epsilon, "delta", h.Budget.Delta, "plan", h.Plan(),
		"filter", h.Filter, "constant", h.Constant, "order", h.Order, "failure", h.Failure)
}

func (h Head) lineOf(r Release, before string) ([]byte, error) {
	event, err := eventjson.Marshal(r.Event)
	if err != nil {
		return nil, err
	}
	return sealed(before, "date", r.Date, "note", r.Note, "neighboring", h.Neighboring, "delta", r.Delta, "event", json.RawMessage(event))
}

// sealed writes a line of fields and its hash, which is that of the text before it and of the last
// hash.
func sealed(before string, fields ...any) ([]byte, error) {
	var body []byte
	for i := 0; i < len(fields); i += 2 {
		value, err := json.Marshal(fields[i+1])
		if err != nil {
			return nil, err
		}
		body = fmt.Appendf(body, ",%q:%s", fields[i], value)
	}
	body[0] = '{'
	return fmt.Appendf(nil, "%s%s%s\"}\n", body, seal, sumOf(body, before)), nil
}

const seal = `,"sum":"`

func sumOf(body []byte, before string) string {
	sum := sha256.Sum256(append([]byte(before), body...))
	return hex.EncodeToString(sum[:])
}

// opened returns the object of a line, without its hash.
func opened(line []byte, before string) (o *eventjson.Object, sum string, err error) {
	at := bytes.LastIndex(line, []byte(seal))
	if at < 0 || sumOf(line[:at], before)+`"}` != string(line[at+len(seal):]) {
		return nil, "", ErrChanged
	}
	return eventjson.NewObject(append(bytes.Clone(line[:at]), '}')), string(line[at+len(seal) : len(line)-2]), nil
}

// Open reads a file. It returns an error that wraps ErrChanged if a line was edited. A line that an
// append left unfinished is in Torn: a process was stopped, or is just appending.
func Open(path string) (*Ledger, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	l, err := read(text)
	if err != nil {
		return nil, fmt.Errorf("ledger: %s: %w", path, err)
	}
	return l, nil
}

func read(text []byte) (*Ledger, error) {
	l := &Ledger{}
	for i, line := range bytes.SplitAfter(text, []byte("\n")) {
		whole, ended := bytes.CutSuffix(line, []byte("\n"))
		o, sum, err := opened(whole, l.Sum)
		if !ended && err != nil {
			l.Torn = line
			break
		}
		if i == 0 {
			err = errors.Join(versionOf(whole), err)
		}
		switch {
		case err != nil:
		case i == 0:
			err = l.readHead(o)
		default:
			err = l.readRelease(o)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		l.Sum, l.whole, l.unended = sum, l.whole+len(line), !ended
	}
	if l.whole == 0 {
		return nil, errors.New("has no whole first line: must be a ledger (one that was cut off while it was made has no release, and can be deleted)")
	}
	return l, nil
}

// versionOf returns an error unless a first line is of this version.
func versionOf(line []byte) error {
	var first struct{ Ledger json.RawMessage }
	if err := json.Unmarshal(line, &first); err != nil || first.Ledger == nil {
		return errors.New("is not the first line of a ledger: must have a field \"ledger\"")
	}
	if string(first.Ledger) != fmt.Sprint(version) {
		return fmt.Errorf("ledger %s: is of another version: must be %d for this program", first.Ledger, version)
	}
	return nil
}

func (l *Ledger) readHead(o *eventjson.Object) error {
	o.Int("ledger")
	l.Head = Head{
		Data: o.Text("data"), Neighboring: relation(o), Budget: accounting.Target{Epsilon: o.Float("epsilon"), Delta: o.Float("delta")},
		Filter: Filter(o.Text("filter")), Constant: o.Float("constant"), Order: o.Float("order"), Failure: o.Float("failure"),
	}
	if plan := o.Text("plan"); plan != l.Plan() {
		o.Fault("plan", "%q: must be fixed without a filter, and adaptive with one", plan)
	}
	o.Done()
	return errors.Join(o.Err(), l.validate())
}

func relation(o *eventjson.Object) (n accounting.Neighboring) {
	if err := n.UnmarshalText([]byte(o.Text("neighboring"))); err != nil {
		o.Invalid(err)
	}
	return n
}

func (l *Ledger) readRelease(o *eventjson.Object) error {
	r := Release{Date: o.Text("date"), Note: o.Text("note"), Delta: o.Float("delta"), Event: o.Event("event")}
	if under := relation(o); under != l.Neighboring {
		o.Fault("neighboring", "%v: must be %v, that of the first line", under, l.Neighboring)
	}
	o.Done()
	l.Releases = append(l.Releases, r)
	return errors.Join(o.Err(), l.validateRelease(r))
}
