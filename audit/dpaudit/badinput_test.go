package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/accounting/command/badinput"
)

// Every message names the field, the value and the rule, and nothing is written.
func TestBadInputs(t *testing.T) {
	scores, err := filepath.Abs(reference)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"empty.csv": "", "header.csv": "score,member\n", "other.csv": "a,b\n1,0\n", "binary.csv": "\x00\x01\xff\xfe\x89PNG\r\n\x1a\n",
		"one.csv": "score,member\n1,1\n", "oneclass.csv": "score,member\n1,1\n2,1\n", "few.csv": "score,member\n1,0\n2,1\n",
		"nan.csv": "score,member\n1,0\nNaN,1\n", "inf.csv": "score,member\n1,0\n-Inf,1\n", "huge.csv": "score,member\n1,0\n1e999,1\n",
		"word.csv": "score,member\n1,0\nabc,1\n", "member.csv": "score,member\n1,0\n2,2\n", "short.csv": "score,member\n1\n", "long.csv": "score,member\n1,0,7\n",
		"twice.csv": "score,score,member\n1,1,0\n", "quote.csv": "score,member\n\"1,0\n", "gap.csv": "score,member\n1,0\n\n2,1\n", "json.csv": `{"score": 1}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("folder", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("roc.png", 0o700); err != nil {
		t.Fatal(err)
	}
	audit, plan := []string{scores}, []string{"plan", "-games", "9"}
	with := func(args ...string) []string { return append([]string{scores}, args...) }
	usage := func(args []string, says ...string) badinput.Line {
		return badinput.Line{Args: args, Code: exitUsage, Says: says}
	}
	data := func(args []string, says ...string) badinput.Line {
		return badinput.Line{Args: args, Code: exitData, Says: says}
	}
	cases := slices.Concat(
		badinput.Refused(audit, "delta", "", "abc", "NaN", "Inf", "-1", "1", "1e999", "1,5", "1e-400", "0x1p-3", "0.0_1"),
		badinput.Refused(audit, "confidence", "", "abc", "NaN", "Inf", "-1", "0", "1e-09", "0.05", "0.49", "1", "95", "1e999"),
		badinput.Refused(audit, "threshold", "", "abc", "NaN", "Inf", "-Inf", "1e999", "1_0", "0x1p3", "1e-400"),
		badinput.Refused(audit, "rank", "", "abc", "NaN", "1.5", "1e1", "-1", "1_0", "0x2", "99999999999999999999"),
		badinput.Refused(audit, "expected-mu", "", "abc", "NaN", "Inf", "-1", "51", "1e999", "1_0", "0x1p3"),
		badinput.Refused(append(audit, "-one-run"), "guesses", "", "abc", "NaN", "1.5", "-1", "0", "1_0", "0x10", "99999999999999999999"),
		badinput.Refused(audit, "seed", "", "0", "abc", "NaN", "1.5", "-1", "1_0", "0x10", "18446744073709551616"),
		badinput.Refused(audit, "json", "", "maybe", "2"), badinput.Refused(audit, "one-run", "", "maybe", "2"),
		badinput.Refused(audit, "claim", "", "abc", "mu", "mu=", "mu=1_0", "mu=0x1p3", "epsilon=1e-400", "noise=0x1p0,rate=0.1,steps=10", "noise=1,rate=0.1,steps=1_0", "mu=abc", "mu=NaN", "mu=Inf", "mu=-1", "mu=51", "mu=1,mu=2", "mu=1,steps=3", "sigma=1,noise=1", "x=1",
			"epsilon=-2", "epsilon=651", "epsilon=1,delta=2", "epsilon=1,delta=-1", "noise=0", "noise=-1", "rate=0.1", "steps=5",
			"noise=1,rate=2,steps=10", "noise=1,rate=0,steps=10", "noise=1,rate=0.1", "noise=0,rate=0.1,steps=10", "noise=1,rate=0.1,steps=1.5",
			"noise=1,rate=0.1,steps=0", "noise=1,rate=0.1,steps=1e13", "noise=1,rate=0.1,steps=10,delta=0", "noise=0.05,rate=0.5,steps=1e9"),
		badinput.Refused(audit, "figure", "", "roc", "roc.doc", "roc.png/"),
		badinput.Refused(audit, "score-column", "", "Member"), badinput.Refused(audit, "member-column", "", "SCORE"),
		badinput.Refused(plan, "mu", "", "abc", "1_0", "0x1p3", "NaN", "Inf", "-1", "0", "51", "1e999"),
		badinput.Refused(plan, "games", "", "abc", "1_0", "0x10", "NaN", "1.5", "1e3", "-1", "0", "10000001", "99999999999999999999"),
		badinput.Refused(plan, "delta", "", "abc", "NaN", "Inf", "-1", "0", "1", "1e999"),
		badinput.Refused(plan, "confidence", "", "abc", "NaN", "Inf", "-1", "0", "0.05", "1", "1e999"),
		badinput.Refused(plan, "json", "", "maybe"),
		badinput.Refused([]string{"plan"}, "epsilon", "", "abc", "1_0", "0x1p1", "NaN", "Inf", "-1", "0", "651", "1e999"),
		[]badinput.Line{
			usage(nil, "0 score files", "must be one"),
			usage([]string{"a.csv", "b.csv"}, "2 score files", "must be one"),
			usage([]string{"help", "me"}, "help me", "must be"),
			usage([]string{"help", "plan", "now"}, "help plan now", "must be"),
			usage(with("-nonsense"), "not defined: -nonsense"),
			usage(with("-rank"), "needs an argument: -rank"),
			usage(with("-guesses", "3"), "-guesses 3", "must not be given without -one-run"),
			usage(with("-one-run", "-rank", "3"), "-rank 3", "must not be given with -one-run"),
			usage(with("-one-run", "-threshold", "3"), "-threshold 3", "must not be given with -one-run"),
			usage([]string{"plan"}, "-epsilon or -games is missing", "must"),
			usage([]string{"plan", "-epsilon", "1", "-games", "3"}, "-epsilon 1 and -games 3", "must be one"),
			usage([]string{"plan", "-games", "9", "x.csv"}, `"x.csv"`, "must be a flag"),
			usage([]string{"plan", "-games", "9", "-rank", "2"}, "not defined: -rank"),
			data([]string{"missing.csv"}, "missing.csv", "no such file"),
			data([]string{"missing/scores.csv"}, "missing/scores.csv", "no such file"),
			data([]string{"folder"}, "folder", "is a directory"),
			data([]string{"empty.csv/scores.csv"}, "empty.csv/scores.csv", "not a directory"),
			data([]string{"empty.csv"}, "empty.csv", "empty", "must start with a header"),
			data([]string{"header.csv"}, "header.csv", "no scores"),
			data([]string{"other.csv"}, "other.csv", "line 1", "a,b", "must be a header"),
			data([]string{"binary.csv"}, "binary.csv", "binary files", "must be a CSV"),
			data([]string{"json.csv"}, "json.csv", "line 1", "must be a header"),
			data([]string{"one.csv"}, "one.csv", "of one class", "must hold both"),
			data([]string{"oneclass.csv"}, "oneclass.csv", "of one class", "must hold both"),
			data([]string{"few.csv"}, "few.csv", "1 member and 1 non-member", "must be at least"),
			data([]string{"nan.csv"}, "nan.csv", "line 3", `score "NaN"`, "must be a finite"),
			data([]string{"inf.csv"}, "inf.csv", "line 3", `score "-Inf"`, "must be a finite"),
			data([]string{"huge.csv"}, "huge.csv", "line 3", `score "1e999"`, "must be a finite"),
			data([]string{"word.csv"}, "word.csv", "line 3", `score "abc"`, "must be a finite"),
			data([]string{"member.csv"}, "member.csv", "line 3", `member "2"`, "must be 0 or 1"),
			data([]string{"short.csv"}, "short.csv", "line 2", "1 fields", "must have 2"),
			data([]string{"long.csv"}, "long.csv", "line 2", "3 fields", "must have 2"),
			data([]string{"twice.csv"}, "twice.csv", "line 1", "score", "twice"),
			data([]string{"quote.csv"}, "quote.csv", "line 2", "quote is not closed"),
			data([]string{"gap.csv"}, "gap.csv", "line 3", "must not be"),
			data(with("-score-column", "llr"), scores, "columns llr and member", "must be a header"),
			data(with("-rank", "1000"), scores, "-rank 1000", "must be in [0, 1000)"),
			data(with("-one-run", "-guesses", "3000"), scores, "-guesses 3000", "must be in [1, number of canaries = 2000]"),
			data(with("-figure", "none/roc.png"), "-figure", "none/roc.png", "must be a file that can be written"),
			data(with("-figure", "empty.csv/roc.png"), "-figure", "empty.csv/roc.png", "must be a file that can be written"),
			data(with("-figure", "roc.png"), "-figure", "roc.png", "must be a file that can be written"),
			data([]string{"missing.csv", "-figure", "ok.svg"}, "missing.csv", "no such file"), // and no figure
		})
	badinput.Command{Name: "dpaudit", Prefix: "dpaudit: ", Never: []string{" audit: ", "onerun: ", "scorefile: ", "contour: ", "accounting: ", "goroutine", "Config.", "Guesses.", "Gaussian.", "Sampled."}, Run: func(args []string) (int, string, string) {
		stdout, stderr, code := dpaudit(args...)
		if command.AsksJSON(args) { // errors are there, as JSON
			stdout = ""
		}
		return code, stdout, stderr
	}}.Check(t, cases)
}
