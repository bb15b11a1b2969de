package dptune

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/dptune/streams"
)

// subject is a protocol for the tests that all protocols pass.
type subject struct {
	Priced
	delta   float64
	run     func(ctx context.Context, root streams.Root) (released, error)
	missing Priced // without what it chooses among
	zero    subjectOfZero
}

type subjectOfZero struct {
	Priced
	run func(ctx context.Context, root streams.Root) (released, error)
}

// released is a release of any protocol.
type released struct {
	all       any
	nothing   bool // all is what a Run returns with an error
	statement accounting.Statement
	seeded    bool
}

func runOf[H, O, D any](p Protocol[H, O, D]) func(context.Context, streams.Root) (released, error) {
	return func(ctx context.Context, root streams.Root) (released, error) {
		r, err := p.Run(ctx, root)
		return released{r, reflect.DeepEqual(r, noRelease[H, O, D]()), r.Statement, r.Seeded}, err
	}
}

func subjectOf[H, O, D any](p, missing, zero Protocol[H, O, D], delta float64) subject {
	return subject{p, delta, runOf(p), missing, subjectOfZero{zero, runOf(zero)}}
}

// subjects returns each protocol by its name. touch is called whenever a run, a score or a training
// would look at the data; its error is theirs.
func subjects(t *testing.T, touch func() error) map[string]subject {
	best := search(t)
	draw := best.Candidate
	best.Candidate = CandidateFunc(gaussian, func(ctx context.Context, h float64, root streams.Root) (Outcome[float64], error) {
		out, err := draw.RunAll(ctx, []float64{h}, []streams.Root{root})
		return out[0], errors.Join(err, touch())
	})
	none := best
	none.Candidate = nil
	sample, noRuns := tuned(t, subsample.AllData), tuned(t, subsample.AllData)
	sample.TuningEvent = func(float64) (accounting.Event, error) { return gaussian, nil }
	sample.On = func([]int) (Candidate[float64, float64], error) { return best.Candidate, nil }
	noRuns.On = nil
	tests := constantScores(0.2, 0.5)
	tests.KeepAtCap, tests.Training, tests.Train = true, gaussian, trainNothing
	score := tests.Scores.Score
	tests.Scores.Score = func(ctx context.Context, records []int, h float64, root streams.Root) (float64, error) {
		x, err := score(ctx, records, h, root)
		return x, errors.Join(err, touch())
	}
	noTests := tests
	noTests.Proposer = nil
	choice := exponential(0.2, 0.5)
	choice.Scores = tests.Scores
	noChoice := choice
	noChoice.Candidates = nil
	type f = float64
	return map[string]subject{
		"Search":            subjectOf[f, f, NoDetails](best, none, Search[f, f]{}, best.Delta),
		"FirstAbove":        subjectOf[f, f, NoDetails](FirstAbove[f, f]{Search: best}, FirstAbove[f, f]{Search: none}, FirstAbove[f, f]{}, best.Delta),
		"TuneThenTrain":     subjectOf[f, f, TuneThenTrainDetails[f]](sample, noRuns, TuneThenTrain[f, f]{}, sample.Search.Delta),
		"ThresholdSearch":   subjectOf[f, f, ThresholdSearchDetails[f]](tests, noTests, ThresholdSearch[f, f]{}, tests.Delta),
		"ExponentialSearch": subjectOf[f, f, NoDetails](choice, noChoice, ExponentialSearch[f, f]{}, choice.Delta),
	}
}

// protocols returns the names in the list of protocol.go.
func protocols(t *testing.T) (names []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "protocol.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range file.Decls {
		if list, ok := decl.(*ast.GenDecl); ok && list.Tok == token.VAR {
			for _, spec := range list.Specs {
				literal := spec.(*ast.ValueSpec).Values[0].(*ast.CompositeLit)
				names = append(names, literal.Type.(*ast.IndexListExpr).X.(*ast.Ident).Name)
			}
		}
	}
	return names
}

// TestProtocols is the contract: what every protocol of the list does alike.
func TestProtocols(t *testing.T) {
	var touched atomic.Int32
	var broken error
	all := subjects(t, func() error { touched.Add(1); return broken })
	if names := protocols(t); len(names) != len(all) {
		t.Errorf("protocols %v, and subjects of %d", names, len(all))
	}
	for _, name := range protocols(t) {
		p, ok := all[name]
		if !ok {
			t.Errorf("%s has no subject", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			broken = nil
			touched.Store(0)
			canBePriced(t, p)
			isRefused(t, "without candidates", p.missing)
			isRefused(t, "the zero value", p.zero.Priced)
			if r, err := p.zero.run(t.Context(), streams.Fixed("zero")); err == nil || !r.nothing {
				t.Errorf("the zero value ran: %+v, %v", r, err)
			}
			if r, err := p.run(t.Context(), streams.Root{}); !errors.Is(err, streams.ErrNoRoot) || !r.nothing {
				t.Errorf("the zero root: %+v, %v, want ErrNoRoot", r, err)
			}
			if n := touched.Load(); n > 0 {
				t.Errorf("prices, statements and what is refused looked at the data %d times", n)
			}
			repeats(t, p)
			if touched.Load() == 0 {
				t.Error("no run looked at the data: the test tests nothing")
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if r, err := p.run(ctx, streams.Fixed("canceled")); !errors.Is(err, context.Canceled) || !r.nothing {
				t.Errorf("canceled: %+v, %v", r, err)
			}
			broken = errors.New("broken")
			if r, err := p.run(t.Context(), streams.Fixed("broken")); !errors.Is(err, broken) || !r.nothing {
				t.Errorf("a run that fails: %+v, %v", r, err)
			}
		})
	}
}

// canBePriced holds price and statement against the event, to the last bit.
func canBePriced(t *testing.T, p subject) {
	t.Helper()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	event, err := p.Event()
	if err != nil {
		t.Fatal(err)
	}
	want, err := auto.NewAccountant().EpsilonAt(event, p.delta)
	if err != nil {
		t.Fatal(err)
	}
	price, err := p.Price()
	if err != nil || price.Guarantee.Epsilon.Upper != want.Epsilon.Upper || price.Guarantee.Delta != p.delta || price.Least().Epsilon != want.Epsilon.Upper {
		t.Errorf("price %v, %v, want that of %v: %v", price, err, event, want)
	}
	s, err := p.Statement()
	if err != nil || s.Guarantee.Epsilon.Upper != want.Epsilon.Upper || s.Guarantee.Delta != p.delta {
		t.Errorf("statement %v, %v, want ε %g", s, err, want.Epsilon.Upper)
	}
	if s.Unit != "one number" || s.Guarantee.Neighboring != accounting.AddOrRemoveOne || s.Subject == "" || s.Theorem == "" || s.Mechanism == "" || len(s.Assumptions) == 0 || len(s.NotCovered) == 0 {
		t.Errorf("a field of the statement is empty: %+v", s)
	}
}

// isRefused asks for an error and the worst answer, from each method.
func isRefused(t *testing.T, what string, p Priced) {
	t.Helper()
	if p.Validate() == nil {
		t.Errorf("%s: valid", what)
	}
	if event, err := p.Event(); err == nil || event != nil {
		t.Errorf("%s: event %v, %v", what, event, err)
	}
	if price, err := p.Price(); err == nil || price.Guarantee.Epsilon.Computed() {
		t.Errorf("%s: price %v, %v", what, price, err)
	}
	if s, err := p.Statement(); err == nil || s.Guarantee.Epsilon.Computed() {
		t.Errorf("%s: statement %v, %v", what, s, err)
	}
}

// repeats runs twice from a fixed root, and once from a secret one.
func repeats(t *testing.T, p subject) {
	t.Helper()
	a, err := p.run(t.Context(), streams.Fixed("same"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.run(t.Context(), streams.Fixed("same"))
	if err != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("two runs from one root: %+v, %+v, %v", a, b, err)
	}
	if s, err := p.Statement(); err != nil || a.statement.Guarantee.Epsilon != s.Guarantee.Epsilon {
		t.Errorf("released at %v, stated before as %v, %v", a.statement.Guarantee, s.Guarantee, err)
	}
	root, err := streams.Secret()
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.run(t.Context(), root)
	warns := func(r released) bool { return slices.Contains(r.statement.Warnings, streams.ErrSeeded) }
	if fixed, secret := a.statement.String(), c.statement.String(); !strings.HasPrefix(fixed, "No guarantee: ") || strings.Contains(fixed, "private") || !strings.Contains(secret, "private") {
		t.Errorf("fixed root: %s\nsecret root: %s", fixed, secret)
	}
	if err != nil || !a.seeded || !warns(a) || c.seeded || warns(c) {
		t.Errorf("fixed root: seeded %v, warned %v; secret root: %v, %v, %v", a.seeded, warns(a), c.seeded, warns(c), err)
	}
}

// The README's table of protocols is made from the first sentences of their doc comments. Each has
// an example.
func TestReadmeListsEveryProtocol(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set, parsed := token.NewFileSet(), []*ast.File(nil)
	for _, name := range files {
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if file.Name.Name == "dptune" || file.Name.Name == "dptune_test" {
			parsed = append(parsed, file)
		}
	}
	pkg, err := doc.NewFromFiles(set, parsed, "github.com/dplab/dplab/dptune")
	if err != nil {
		t.Fatal(err)
	}
	table := "| protocol | what it releases | example |\n|---|---|---|\n"
	for _, name := range protocols(t) {
		i := slices.IndexFunc(pkg.Types, func(typ *doc.Type) bool { return typ.Name == name })
		sentence, found := strings.CutPrefix(pkg.Synopsis(pkg.Types[i].Doc), name+" releases ")
		if !found || len(pkg.Types[i].Examples) == 0 {
			t.Errorf("%s has the doc %q, want %q; %d examples, want one", name, sentence, name+" releases ...", len(pkg.Types[i].Examples))
		}
		table += fmt.Sprintf("| `%s` | %s | `Example%[1]s` |\n", name, strings.TrimSuffix(sentence, "."))
	}
	const begin, end = "<!-- protocols -->\n", "<!-- end of protocols -->"
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(page), begin)
	have, after, found := strings.Cut(rest, end)
	if !found {
		t.Fatalf("README.md lacks %s and %s", begin, end)
	}
	if have != table && !*update {
		t.Errorf("README.md has\n%s\nwant, as by -update,\n%s", have, table)
	}
	if *update {
		if err := os.WriteFile("README.md", []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
