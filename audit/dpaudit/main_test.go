package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/data/npy"
)

const reference = "../testdata/scores_n1000_mu1.csv"

func dpaudit(args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return out.String(), errs.String(), code
}

type jsonBound struct {
	Name, Assumption             string
	Epsilon, Confidence, Ceiling *float64
	Warnings                     []string
}

type jsonReport struct {
	Bounds   []jsonBound
	Without  []jsonBound `json:"without_confidence"`
	AUC      struct{ Lower, Estimate, Upper *float64 }
	TPRAtFPR []struct{ FPR, Lower, Estimate, Upper *float64 } `json:"tpr_at_fpr"`
	Claims   []struct {
		Claim        string
		PValue       *float64 `json:"p_value"`
		Contradicted *bool
	}
}

func parse(t *testing.T, text string) (r jsonReport) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, text)
	}
	for _, b := range slices.Concat(r.Bounds, r.Without) {
		if b.Epsilon == nil || b.Confidence == nil || b.Ceiling == nil || b.Assumption == "" || b.Warnings == nil {
			t.Errorf("bound %s lacks a field", b.Name)
		} else if *b.Epsilon < 0 || *b.Epsilon > *b.Ceiling {
			t.Errorf("bound %s: ε %g not in [0, %g]", b.Name, *b.Epsilon, *b.Ceiling)
		}
	}
	return r
}

// Expected values: reference/audit.json csv_bounds and tpr_auc_ci of the project.
func TestJSONOnTheReferenceFile(t *testing.T) {
	for _, args := range [][]string{
		{reference, "-delta", "1e-5", "-confidence", "0.95", "-json"},
		{"-json", "-delta", "1e-5", reference},
		{"-json", reference, "-confidence=0.95"},
		{"-json", "--", reference},
	} {
		out, errs, code := dpaudit(args...)
		if code != 0 {
			t.Fatalf("%v: exit %d, %s", args, code, errs)
		}
		r := parse(t, out)
		want := map[string]float64{"rank-two-tail": 1.8858, "rank-one-tail": 1.4562, "gdp-auc": 4.6138}
		for _, b := range r.Bounds {
			if w, ok := want[b.Name]; ok && math.Abs(*b.Epsilon-w) > 2e-3 {
				t.Errorf("%v: %s = %g, want %g", args, b.Name, *b.Epsilon, w)
			}
			delete(want, b.Name)
		}
		for _, name := range []string{"clopper-pearson", "clopper-pearson-bonferroni", "gdp-clopper-pearson"} {
			if !strings.Contains(out, `"`+name+`"`) {
				t.Errorf("%v: no bound %s", args, name)
			}
		}
		if len(want) > 0 || math.Abs(*r.AUC.Estimate-0.787377) > 1e-6 || len(r.TPRAtFPR) != 3 {
			t.Errorf("%v: missing %v, AUC %g, %d rates", args, want, *r.AUC.Estimate, len(r.TPRAtFPR))
		}
	}
}

func TestOneRunJSON(t *testing.T) {
	out, errs, code := dpaudit(reference, "-one-run", "-guesses", "200", "-json", "-claim", "mu=0.1")
	if code != 0 {
		t.Fatal(errs)
	}
	r := parse(t, out)
	var names []string
	for _, b := range r.Bounds {
		names = append(names, b.Name)
	}
	if got := strings.Join(names, " "); got != "one-run one-run-max one-run-fdp one-run-adaptive" {
		t.Errorf("bounds %q", got)
	}
	if len(r.Claims) != 1 || !*r.Claims[0].Contradicted {
		t.Errorf("claims %+v, want µ = 0.1 contradicted by scores of µ = 1", r.Claims)
	}
}

func TestTerminal(t *testing.T) {
	out, errs, code := dpaudit(reference, "-claim", "mu=2", "-claim", "noise=8,rate=0.01,steps=100")
	if code != 0 {
		t.Fatal(errs)
	}
	for _, want := range []string{"rank-two-tail", "1.88", "AUC 0.7874", "TPR at FPR 0.001", "claim 2-GDP: not contradicted", "100 steps, a record added or removed (ε <= ", "CONTRADICTED"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("output lacks %q:\n%s", want, out)
		}
	}
}

// A program that asks for JSON gets errors as JSON, with the exit code.
func TestErrorsAsJSON(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{reference, "-json", "-delta", "3"}, exitUsage, "-delta 3: must be in [0, 1)"},
		{[]string{"-json", "missing.csv"}, exitData, "open missing.csv: no such file or directory"},
		{[]string{"plan", "-json=true"}, exitUsage, "-epsilon or -games is missing"},
	} {
		out, errs, code := dpaudit(c.args...)
		var answer struct {
			Error    string
			ExitCode int `json:"exit_code"`
		}
		if err := json.Unmarshal([]byte(out), &answer); err != nil || code != c.code || answer.ExitCode != code || !strings.Contains(answer.Error, c.says) || !strings.HasPrefix(errs, "dpaudit: "+answer.Error) {
			t.Errorf("dpaudit %q: code %d, %q, %q, %v, want code %d and %q in both", c.args, code, out, errs, err, c.code, c.says)
		}
	}
}

// The first line is the answer, warnings stand next to it, and the last line says how the largest
// may be reported. JSON has the answer as a field of its own. The bound is that of
// reference/audit.json, csv_bounds.
func TestAnswerComesFirst(t *testing.T) {
	out, errs, code := dpaudit(reference)
	if code != 0 {
		t.Fatal(errs)
	}
	last := strings.Join(strings.Fields(out[strings.LastIndex(out, "\n\n"):]), " ")
	if !strings.HasPrefix(out, "ε >= 1.885") || !strings.HasPrefix(out[len("ε >= 1.8850"):], " at δ = 1e-5, confidence 0.95, nothing assumed but independent games\n") ||
		last != "Each bound holds by itself. To report the largest of the 7 that have a confidence, ask for -confidence 0.99286, which is 1 - 0.05/7." {
		t.Errorf("the last line is %q of\n%s", last, out)
	}
	for _, args := range [][]string{{reference, "-json"}, {reference, "-json", "-rank", "3"}, {reference, "-json", "-one-run"}} {
		out, _, _ := dpaudit(args...)
		var r struct {
			Answer   string
			Headline struct {
				Name                string
				Epsilon, Confidence float64
			}
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		want := "rank-two-tail"
		if args[len(args)-1] == "-one-run" {
			want = "one-run-max"
		}
		if r.Headline.Name != want || !(r.Headline.Epsilon > 1.8) || r.Headline.Confidence != 0.95 || !strings.HasPrefix(r.Answer, fmt.Sprintf("ε >= %.3f", math.Floor(r.Headline.Epsilon*1e3)/1e3)) {
			t.Errorf("%v: %+v, want %s", args, r, want)
		}
	}
	path := filepath.Join(t.TempDir(), "losses.csv")
	losses := "score,member\n"
	for i := range 100 {
		losses += fmt.Sprintf("%d.5,0\n%d.7,1\n", i, i-40)
	}
	if err := os.WriteFile(path, []byte(losses), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _, _ = dpaudit(path)
	if at := strings.Index(out, "warning: members score below"); !strings.HasPrefix(out, "no leak shown: ε >= 0 at") || at < 0 || strings.Count(out[:at], "\n") > 6 || at > strings.Index(out, "Other bounds") {
		t.Errorf("losses: the warning is not next to the answer:\n%s", out)
	}
}

// Without -seed one is drawn and said; with it the report comes out again, in any order of the
// rows, verdicts on claims too.
func TestDrawnSeed(t *testing.T) {
	rows := []string{"1,1", "0,1", "1,1", "1,1", "0,0", "1,0", "0,0", "0,0", "1,1", "0,0", "1,1", "0,0"}
	dir := t.TempDir()
	write := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("score,member\n"+strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	path := write("played.csv")
	drawn, errs, code := dpaudit(path, "-claim", "mu=1")
	m := regexp.MustCompile(`\nseed (\d+) gives this report again\n`).FindStringSubmatch(drawn)
	if code != 0 || m == nil {
		t.Fatalf("exit %d, %s\n%s", code, errs, drawn)
	}
	slices.Sort(rows)
	for _, file := range []string{path, write("sorted.csv")} {
		if again, _, _ := dpaudit(file, "-claim", "mu=1", "-seed", m[1]); again != drawn {
			t.Errorf("seed %s on %s gives another report:\n%s\nthan\n%s", m[1], filepath.Base(file), again, drawn)
		}
	}
	if other, _, _ := dpaudit(path, "-claim", "mu=1"); strings.Contains(other, "seed "+m[1]+" ") {
		t.Errorf("two reports draw the same seed %s", m[1])
	}
}

// A confidence below 0.9 is printed with a warning, and planned with one.
func TestLowConfidenceWarns(t *testing.T) {
	const want = "warning: confidence 0.6 is low: up to 40 % of such bounds are above the truth"
	for _, args := range [][]string{{reference}, {reference, "-one-run"}, {"plan", "-games", "9"}} {
		out, errs, code := dpaudit(append(args, "-confidence", "0.6")...)
		if text := strings.Join(strings.Fields(out), " "); code != 0 || !strings.Contains(text, want) {
			t.Errorf("%v at confidence 0.6: exit %d, %s, no %q in\n%s", args, code, errs, want, out)
		}
		if out, _, _ := dpaudit(append(args, "-confidence", "0.9")...); strings.Contains(out, "is low") {
			t.Errorf("%v at confidence 0.9: a warning in\n%s", args, out)
		}
	}
}

// help is -h, as dpcost has it, and says what the first line is.
func TestHelp(t *testing.T) {
	for _, words := range [][2][]string{{{"help"}, {"-h"}}, {{"help", "plan"}, {"plan", "-h"}}} {
		got, errs, code := dpaudit(words[0]...)
		want, _, _ := dpaudit(words[1]...)
		if code != 0 || errs != "" || got != want || got == "" {
			t.Errorf("%v: exit %d, %q, %q, want what %v prints", words[0], code, errs, got, words[1])
		}
	}
	out, _, _ := dpaudit("-h")
	for _, want := range []string{"The first line printed is the answer", "rank-two-tail", "one-run-max", "-confidence 1 - 0.05/m", `"headline"`} {
		if !strings.Contains(out, want) {
			t.Errorf("dpaudit -h does not say %q", want)
		}
	}
}

func TestPlan(t *testing.T) {
	out, errs, code := dpaudit("plan", "-mu", "1", "-epsilon", "3")
	if code != 0 || !strings.Contains(out, "rank-two-tail") || !strings.Contains(out, "4.377") {
		t.Errorf("exit %d, %s\n%s", code, errs, out)
	}
	out, errs, code = dpaudit("plan", "-mu", "1", "-epsilon", "5", "-json")
	var report struct{ Plans []struct{ Reached bool } }
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 {
		t.Fatalf("exit %d, %v, %s", code, err, errs)
	}
	for i, p := range report.Plans {
		if p.Reached {
			t.Errorf("plan %d reaches ε 5 although the mechanism's own is 4.377", i)
		}
	}
}

func TestFigure(t *testing.T) {
	for ext, magic := range map[string]string{".pdf": "%PDF", ".png": "\x89PNG", ".svg": "<?xml"} {
		path := filepath.Join(t.TempDir(), "roc"+ext)
		out, errs, code := dpaudit(reference, "-figure", path, "-claim", "epsilon=2", "-json")
		if code != 0 {
			t.Fatalf("%s: exit %d, %s", ext, code, errs)
		}
		parse(t, out) // one JSON object, whatever else is written
		if text, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(text, []byte(magic)) {
			t.Errorf("%s: %v, starts with %q", ext, err, text[:min(8, len(text))])
		} else if year := strconv.Itoa(time.Now().Year()); ext == ".pdf" && bytes.Contains(text, []byte("Date (D:"+year)) {
			t.Errorf("%s has the date of today in it: equal figures must give equal bytes", ext)
		}
	}
}

func TestUsageFaults(t *testing.T) {
	for _, c := range []struct {
		want string
		args []string
	}{
		{"0 score files", nil},
		{"2 score files", []string{"a.csv", "b.csv"}},
		{"-delta 1:", []string{reference, "-delta", "1"}},
		{"-delta -1", []string{reference, "-delta=-1"}},
		{"-delta: must be a finite", []string{reference, "-delta", "nan"}},
		{"-confidence 1.5", []string{reference, "-confidence", "1.5"}},
		{"-confidence 0", []string{reference, "-confidence", "0"}},
		{"-rank -1", []string{reference, "-rank", "-1"}},
		{"-expected-mu -1", []string{reference, "-expected-mu", "-1"}},
		{"-threshold: must be a finite", []string{reference, "-threshold", "nan"}},
		{"-guesses", []string{reference, "-guesses", "3"}},
		{"-guesses 0", []string{reference, "-one-run", "-guesses", "0"}},
		{"nonsense", []string{reference, "-nonsense"}},
		{"must be two names", []string{reference, "-score-column", "Member"}},
		{"must be two names", []string{reference, "-member-column", ""}},
		{"must end in .pdf", []string{reference, "-figure", "roc.doc"}},
		{"key=value", []string{reference, "-claim", "mu"}},
		{"finite number", []string{reference, "-claim", "mu=x"}},
		{"must be mu, or", []string{reference, "-claim", "mu=1,steps=3"}},
		{"twice", []string{reference, "-claim", "mu=1,mu=2"}},
		{"rate 2", []string{reference, "-claim", "noise=1,rate=2,steps=10"}},
		{"noise 0", []string{reference, "-claim", "noise=0,rate=0.1,steps=10"}},
		{"steps 1.5", []string{reference, "-claim", "noise=1,rate=0.1,steps=1.5"}},
		{"epsilon -2", []string{reference, "-claim", "epsilon=-2"}},
		{"noise 0: must be >= 0.02", []string{reference, "-claim", "noise=0"}},
		{"must be <= 650 to be testable", []string{reference, "-claim", "noise=0.05,rate=0.5,steps=1e9"}},
		{"one of -epsilon and -games", []string{"plan", "-mu", "1"}},
		{"-mu 0", []string{"plan", "-mu", "0", "-epsilon", "3"}},
		{"-games 0", []string{"plan", "-games", "0"}},
		{"takes no file", []string{"plan", "-games", "9", "x.csv"}},
	} {
		if _, errs, code := dpaudit(c.args...); code != exitUsage || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d, %q, want exit 2 with %q", c.args, code, errs, c.want)
		}
	}
}

func TestDataFaults(t *testing.T) {
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "scores.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"no such file", []string{"missing.csv"}},
		{"empty", []string{file("")}},
		{"must be a header that names the columns score and member", []string{file("a,b\n1,0\n")}},
		{"line 2 is longer than", []string{file("score,member\n" + strings.Repeat("1", 3<<20))}},
		{"columns llr and member", []string{file("score,member\n1,0\n"), "-score-column", "llr"}},
		{"no scores", []string{file("score,member\n")}},
		{"line 3", []string{file("score,member\n1,0\nNaN,1\n")}},
		{"one class", []string{file("score,member\n1,0\n2,0\n")}},
		{"must be at least 4 of each", []string{file("score,member\n1,0\n2,1\n")}},
		{"-rank 1000", []string{reference, "-rank", "1000"}},
		{"-guesses 3000", []string{reference, "-one-run", "-guesses", "3000"}},
		{"-figure", []string{reference, "-figure", "/nonexistent/roc.png"}},
	} {
		if _, errs, code := dpaudit(c.args...); code != exitData || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d, %q, want exit 1 with %q", c.args, code, errs, c.want)
		}
	}
}

// A file of pandas with other names gives the report of the plain one.
func TestNamedColumns(t *testing.T) {
	text, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	var other strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		score, member, _ := strings.Cut(line, ",")
		switch member {
		case "member":
			other.WriteString(";Is_In;LLR\n")
		case "1":
			fmt.Fprintf(&other, "%d;True;%s\n", i, score)
		default:
			fmt.Fprintf(&other, "%d;False;%s\n", i, score)
		}
	}
	path := filepath.Join(t.TempDir(), "scores.csv")
	if err := os.WriteFile(path, []byte(other.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	want, _, _ := dpaudit(reference, "-json", "-seed", "3")
	if got, errs, code := dpaudit(path, "-score-column", "llr", "-member-column", "is_in", "-json", "-seed", "3"); code != 0 || got != want {
		t.Errorf("exit %d, %s\n%s", code, errs, got)
	}
}

// The report says what share of the scores is tied and warns of turned scores.
func TestTiedAndTurnedScores(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scores.csv")
	text := "score,member\n" + strings.Repeat("1,0\n0,1\n", 30) + strings.Repeat("0,0\n1,1\n", 3)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, code := dpaudit(path, "-seed", "3")
	joined := strings.Join(strings.Fields(out), " ")
	if code != 0 || !strings.Contains(joined, "100 % of the scores are tied with the other class; such ties are broken at random by the seed") || !strings.Contains(joined, "must grow with the evidence") {
		t.Errorf("exit %d, %s\n%s", code, errs, out)
	}
	if again, _, _ := dpaudit(path, "-seed", "3"); again != out {
		t.Errorf("the same file and seed give another report:\n%s", again)
	}
	if out, _, _ := dpaudit(reference); strings.Contains(out, "tied") {
		t.Errorf("continuous scores are called tied:\n%s", out)
	}
}

// Rows that were copied are no games: the report asks whether they are.
func TestCopiedRowsWarn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scores.csv")
	rows := "3.1,1\n2.7,1\n2.9,1\n0.3,0\n-0.2,0\n0.1,0\n"
	if err := os.WriteFile(path, []byte("score,member\n"+strings.Repeat(rows, 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{path}, {path, "-one-run"}} {
		out, errs, code := dpaudit(args...)
		text := strings.Join(strings.Fields(out), " ")
		for _, class := range []string{"member", "non-member"} {
			if want := "warning: 297 of 300 " + class + " scores repeat another"; code != 0 || !strings.Contains(text, want) {
				t.Errorf("%v: exit %d, %s, no %q in\n%s", args, code, errs, want, out)
			}
		}
	}
	if out, _, _ := dpaudit(reference); strings.Contains(out, "repeat another") {
		t.Errorf("scores without copies are doubted:\n%s", out)
	}
}

func TestEqualScoresWarn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scores.csv")
	text := "score,member\n" + strings.Repeat("1,0\n1,1\n", 50)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, code := dpaudit(path, "-json")
	if code != 0 || !strings.Contains(out, "all scores are equal") {
		t.Fatalf("exit %d, %s\n%s", code, errs, out)
	}
	for _, b := range slices.Concat(parse(t, out).Bounds, parse(t, out).Without) {
		if *b.Epsilon != 0 {
			t.Errorf("%s = %g on equal scores", b.Name, *b.Epsilon)
		}
	}
}

// More games never show less, up to the number where planning ends; one run ends earlier, and says
// so.
func TestPlanOfManyGames(t *testing.T) {
	last := 0.0
	for _, games := range []string{"1000", "100000", "10000000"} {
		out, errs, code := dpaudit("plan", "-mu", "1", "-games", games, "-json")
		if code != 0 {
			t.Fatalf("%s games: exit code %d: %s", games, code, errs)
		}
		var r struct {
			Plans []struct {
				Name     string
				Expected float64 `json:"expected_epsilon"`
			}
			Warnings []string
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		if r.Plans[0].Name != "rank-two-tail" || r.Plans[0].Expected <= last {
			t.Errorf("%s games: %s is expected to show %g, want more than %g of fewer games", games, r.Plans[0].Name, r.Plans[0].Expected, last)
		}
		last = r.Plans[0].Expected
		if many := games == "10000000"; many != (len(r.Warnings) == 3) || many != (len(r.Plans) == 3) {
			t.Errorf("%s games: %d plans, warnings %q; one run is planned up to 10^6 games", games, len(r.Plans), r.Warnings)
		}
	}
	if _, errs, code := dpaudit("plan", "-games", "10000001"); code != 2 || !strings.Contains(errs, "-games 10000001: must be in [1, 10000000]") {
		t.Errorf("too many games: exit code %d, %q", code, errs)
	}
}

// Claims, the hull and the line of guessing differ in dashes or width, so that a figure printed in
// gray can be read.
func TestFigureInGray(t *testing.T) {
	path := filepath.Join(t.TempDir(), "roc.svg")
	if _, errs, code := dpaudit(reference, "-figure", path, "-claim", "epsilon=2", "-claim", "mu=1", "-claim", "epsilon=1"); code != 0 {
		t.Fatal(errs)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?:stroke-width="[^"]+" )?stroke-dasharray="[^"]+"`).FindAllString(string(text), -1) {
		lines[m] = true
	}
	if len(lines) != 5 {
		t.Errorf("%d kinds of dashed lines %v, want 5: three claims, the hull, guessing", len(lines), lines)
	}
}

// The axes have titles, the legend its parameters. The band encloses the staircase, and scores of
// one run have none.
func TestFigureShowsWhatItDraws(t *testing.T) {
	scores := audit.Scores{Member: []float64{3, 2, 1, 2.5}, NonMember: []float64{0, 1, -1, 2}}
	report, err := audit.Bounds(scores, audit.Config{Delta: 1e-5, Confidence: 0.9, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	f, err := figure(scores, report, []audit.Curve{audit.GDP{Mu: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if f.XLabel == "" || f.YLabel == "" || len(f.Curves) != 4 || f.Curves[1].Label != "ROC, 0.9 band" || f.Curves[3].Label != "claim: 1-GDP" {
		t.Errorf("figure %+v", f)
	}
	// Right of half a non-member: 2 members are above all non-members, 3 above the second one at
	// 1/4 (with the tie at 2), all above the third at 1/2.
	roc := f.Curves[1]
	for i, want := range map[float64]float64{0.125: 0.5, 0.25: 0.75, 0.5: 1, 1: 1} {
		at := slices.Index(roc.X, i)
		if at < 0 || roc.Y[at] != want {
			t.Errorf("ROC %v at %v, want %g at %g", roc.Y, roc.X, want, i)
		}
	}
	for i, y := range roc.Y {
		if !(roc.Low[i] <= y && y <= roc.High[i]) {
			t.Errorf("at %g the band is [%g, %g], the ROC %g", roc.X[i], roc.Low[i], roc.High[i], y)
		}
	}
	report.OneRun = true
	if f, err = figure(scores, report, nil); err != nil || f.Curves[1].Low != nil || len(f.Notes) != 0 {
		t.Errorf("one run: %+v, %v; want no band", f, err)
	}
}

// The points of the ROC: one for each threshold, with both ends of the band around it; scores of one
// run have none. Four scores, by hand.
func TestFigureOfPoints(t *testing.T) {
	dir := t.TempDir()
	scores, points := filepath.Join(dir, "scores.csv"), filepath.Join(dir, "roc.CSV")
	text := "score,member\n" + strings.Repeat("3,1\n2,0\n2,1\n1,0\n", 30)
	if err := os.WriteFile(scores, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, code := dpaudit(scores, "-figure", points)
	if code != 0 || !strings.Contains(out, "largest TPR - FPR 0.5") {
		t.Fatalf("exit %d, %s\n%s", code, errs, out)
	}
	rows := func() (rows [][]string) {
		got, err := os.ReadFile(points)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(got)) {
			rows = append(rows, strings.Split(strings.TrimSpace(line), ","))
		}
		return rows
	}
	got := rows()
	want := [][]string{{"fpr", "tpr"}, {"0", "0"}, {"0", "0.5"}, {"0.5", "1"}, {"1", "1"}}
	if len(got) != len(want) {
		t.Fatalf("points %v", got)
	}
	for i, row := range got {
		low, err := strconv.ParseFloat(row[2], 64)
		high, err2 := strconv.ParseFloat(row[3], 64)
		if !slices.Equal(row[:2], want[i]) || i > 0 && (err != nil || err2 != nil || !(low <= high)) {
			t.Errorf("line %d: %v, want %v and a band", i+1, row, want[i])
		}
	}
	link := filepath.Join(dir, "link.csv")
	if err := os.Symlink(scores, link); err != nil {
		t.Fatal(err)
	}
	for _, same := range []string{scores, dir + "/./scores.csv", link} {
		_, errs, code := dpaudit(scores, "-figure", same)
		if kept, err := os.ReadFile(scores); code == 0 || !strings.Contains(errs, "is the file of the scores") || string(kept) != text || err != nil {
			t.Errorf("-figure %s: exit %d, %s; the scores are %.40q", same, code, errs, kept)
		}
	}
	if _, errs, code = dpaudit(scores, "-one-run", "-figure", points); code != 0 || !slices.Equal(rows()[2], []string{"0", "0.5", "", ""}) {
		t.Errorf("one run: exit %d, %s, %v", code, errs, rows())
	}
}

// A file of NumPy's arrays gives the report of the CSV with the same scores, and an error names the
// flags.
func TestArrays(t *testing.T) {
	dir := t.TempDir()
	numbers, members := []float64{}, []float64{}
	text := "score,member\n"
	for i := range 60 {
		numbers, members = append(numbers, float64(i*i%47)), append(members, float64(i%2))
		text += fmt.Sprintf("%g,%g\n", numbers[i], members[i])
	}
	file, err := os.Create(filepath.Join(dir, "scores.npz"))
	if err != nil {
		t.Fatal(err)
	}
	archive := zip.NewWriter(file)
	for name, xs := range map[string][]float64{"llr": numbers, "in_train": members} {
		member, err := archive.Create(name + ".npy")
		if err == nil {
			_, err = member.Write(npy.AppendHeader(nil, "<f8", []int{len(xs)}))
		}
		if err = errors.Join(err, binary.Write(member, binary.LittleEndian, xs)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(archive.Close(), file.Close(), os.WriteFile(filepath.Join(dir, "scores.csv"), []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	want, _, _ := dpaudit(filepath.Join(dir, "scores.csv"), "-seed", "3")
	got, errs, code := dpaudit(file.Name(), "-score-column", "llr", "-member-column", "in_train", "-seed", "3")
	if code != 0 || got != want {
		t.Errorf("exit %d, %s\n%s\nwant\n%s", code, errs, got, want)
	}
	if _, errs, code = dpaudit(file.Name()); code != exitData || !strings.Contains(errs, "-score-column and -member-column name others") {
		t.Errorf("exit %d, %s", code, errs)
	}
}
