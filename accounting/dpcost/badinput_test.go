package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/accounting/command/badinput"
)

// refused are bad values of a flag.
func refused(before, flag string, values ...string) []badinput.Line {
	lines := badinput.Refused(strings.Fields(before), flag, values...)
	for i, value := range values {
		lines[i].Says[1] = said(value)
	}
	return lines
}

// said is how a message writes a value: numbers as Go prints them.
func said(value string) string {
	var x float64
	if err := json.Unmarshal([]byte(value), &x); err != nil {
		return value
	}
	return fmt.Sprint(x)
}

// Every message names the field, the value and the rule, and nothing is written.
func TestBadInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	const one = `{"events": [{"type": "gaussian", "noise_multiplier": 1}]}`
	for name, text := range map[string]string{"empty.json": "", "binary.json": "\x00\xff\xfe\x89PNG", "list.json": "[]", "half.json": `{"events": [`, "two.json": one + one, "plan.json": one} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"folder", "folder.png"} {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const (
		sgd      = "sgd -rate 0.01 -noise 2 -steps 100"
		gaussian = "gaussian -noise 1"
		tune     = "tune -law tnb -mean 10 -base gaussian -noise 1"
		curve    = "curve -base gaussian -noise 1 -points 3"
	)
	noNumber := []string{"", "abc", "NaN", "Inf", "-Inf", "1e999", "1e-999", "0x10", "1_0", "1,5"}
	noList := slices.DeleteFunc(slices.Clone(noNumber), func(v string) bool { return v == "1,5" })
	list := func(more ...string) []string {
		return append(slices.Clone(noList), append(more, "1,", ",1", "1,x", "1,1.0", "1,NaN")...)
	}
	number := func(more ...string) []string { return append(slices.Clone(noNumber), more...) }
	count := number("-1", "0", "1.5", "2e12")
	cases := slices.Concat(
		refused("sgd -noise 2 -steps 100", "rate", number("-1", "0", "1.5")...), refused("sgd -rate 0.01 -steps 100", "noise", list("-1", "0")...),
		refused("sgd -rate 0.01 -noise 2", "steps", count...),
		refused("sgd -batch 1 -epochs 1 -noise 2", "examples", count...), refused("sgd -examples 9 -epochs 1 -noise 2", "batch", count...),
		refused("sgd -examples 9 -batch 1 -noise 2", "epochs", number("-1", "0")...), refused(sgd, "delta", number("-1", "0", "1", "2")...),
		refused("sgd -rate 0.01 -steps 100", "target-epsilon", list("-1", "0")...), refused(sgd, "json", "", "maybe", "2"),
		refused("gaussian", "noise", list("-1", "0")...), refused(gaussian, "count", count...), refused(gaussian, "delta", number("-1", "0", "1")...),
		refused(sgd, "at-epsilon", number("-1")...), refused(gaussian, "at-epsilon", number("-1")...), refused(sgd, "records-per-person", append(slices.Clone(count), "1", "2e6")...), refused(gaussian, "at-fpr", number("-1", "0", "1", "2")...),
		refused("gaussian -at-fpr 0.1", "target-tpr", number("-1", "0", "1", "0.1", "0.05")...),
		refused("gaussian", "target-epsilon", list("-1", "0")...),
		refused("tune -mean 10 -base gaussian -noise 1", "law", "", "abc", "TNB"), refused(tune, "eta", number("-1", "-2", "2e12")...),
		refused("tune -law tnb -base gaussian -noise 1", "mean", number("-1", "0", "1")...), refused("tune -law poisson -base gaussian -noise 1", "mean", number("-1", "0")...),
		refused("tune -law tnb -base gaussian -noise 1", "gamma", number("-1", "0", "1", "1e-310")...),
		refused("tune -law fixed -base gaussian -noise 1", "count", count...), refused(tune, "count", count...),
		refused("tune -law tnb -mean 10 -noise 1", "base", "", "abc", "SGD"), refused(tune, "base-count", count...),
		refused(tune, "tuning-rate", number("-1", "0", "1.5")...), refused(tune, "release", "", "abc", "BEST"), refused(tune, "densities", "", "abc", "0.5", "0.5,2,3", "2,3", "0.5,0.9", "0,2", "nan,2"), refused(tune+" -tuning-rate 0.1", "variant", "", "abc", "ALL"),
		refused("curve -noise 1", "base", "", "abc"), refused(curve, "kind", "", "abc", "roc"), refused("curve -base gaussian -noise 1", "points", number("-1", "0", "1", "1.5", "10001")...),
		refused(curve, "max-epsilon", number("-1", "0")...), refused(curve, "figure", "", "abc", "a.gif", "a."), refused(curve, "out", ""),
		refused("curve", "plan", ""), refused("plan plan.json", "delta", number("-1", "0", "1")...), refused("plan plan.json", "json", "", "maybe"))
	usage := func(line string, says ...string) { cases = append(cases, badinput.Of(2, line, says...)) }
	fails := func(line string, says ...string) { cases = append(cases, badinput.Of(1, line, says...)) }
	usage("", "no command", "must be sgd, gaussian")
	usage("SGD", `"SGD"`, "must be sgd, gaussian")
	usage("-rate 1", `"-rate"`, "must be sgd, gaussian")
	usage("gaussian -target-tpr 0.5", "-target-tpr 0.5", "must be above -at-fpr")
	usage("gaussian -noise 1 -at-fpr 0.1 -target-tpr 0.5", "-noise 1", "must not be given with -target-tpr")
	usage("gaussian -target-epsilon 1 -at-fpr 0.1 -target-tpr 0.5", "-target-epsilon 1", "must not be given with -target-tpr")
	usage("sgd -rate 0.1 -steps 3 -solve steps -at-fpr 0.1 -target-tpr 0.5", "-solve", "must not be given with -target-tpr")
	usage("help nothing", `"nothing"`, "must be one of sgd")
	for _, line := range []string{sgd, gaussian, tune, curve} {
		usage(line+" x", `"x"`, "must be a flag")
		usage(line+" -speed 3", "not defined: -speed")
		usage(line+" -noise", "needs an argument: -noise")
		usage(line+" -noise 3", `"3"`, "-noise", "given twice")
	}
	for given, name := range map[string]string{"sigma": "noise", "sampling-rate": "rate", "batch-size": "batch", "epsilon": "target-epsilon"} {
		usage(sgd+" -"+given+" 2", "not defined: -"+given+": it is called -"+name+" here")
	}
	for _, text := range []string{"1/0", "0/0", "1/1e-309", "1e-300/1e300"} {
		usage("sgd -noise 2 -steps 5 -rate "+text, "\""+text+"\"", "-rate", "must be a fraction that is finite")
	}
	usage("sgd -noise 2 -steps 5 -rate 1/2/3", `"1/2/3"`, "-rate", "must be a finite number")
	usage("sgd -noise 2", "-rate is missing", "-steps is missing", "must be")
	usage("gaussian", "-noise is missing", "must be")
	usage("tune", "-law is missing", "-base is missing", "-noise is missing", "must be")
	usage("curve", "-base or -plan is missing", "must")
	usage(sgd+" -count 3", "not defined: -count")
	usage("gaussian -noise 1,0", "-noise 0", "must be > 0")
	usage("gaussian -noise 1e-310", "-noise 1e-310", "must not be subnormal")
	usage("sgd -rate 1e-310 -noise 1 -steps 10", "-rate 1e-310", "must not be subnormal")
	usage("gaussian -noise 1,2 -noise 3", `"3"`, "-noise", "given twice")
	usage("gaussian -noise 1"+strings.Repeat(",2", 100), "-noise", "101 numbers", "must be at most 100")
	usage("gaussian -noise 1,2 -target-epsilon 1", "-noise 1,2", "must not be given with -target-epsilon")
	usage("sgd -solve steps -rate 0.1 -noise 1,2 -target-epsilon 1,2", "-noise 1,2", "-target-epsilon 1,2", "must not both be lists")
	usage("curve -base gaussian -noise 1,2", `"1,2"`, "-noise", "must be a finite number")
	usage(sgd+" -target-epsilon 1", "-noise 2", "must not be given with -target-epsilon")
	usage(tune+" -gamma 0.1", "-mean 10", "-gamma 0.1", "not both")
	usage(tune+" -rate 0.1", "-rate 0.1", "must not be given with -base gaussian")
	usage(tune+" -steps 3", "-steps 3", "must not be given with -base gaussian")
	usage(tune+" -variant all", "-variant all", "must not be given without -tuning-rate")
	usage(tune+" -count 2 -base-count 2", "-base-count 2", "must not be given with -count")
	usage("tune -law poisson -mean 3 -eta 1 -base gaussian -noise 1", "-eta 1", "must not be given with -law poisson")
	usage("tune -law fixed -count 3 -mean 3 -base gaussian -noise 1", "-mean 3", "must not be given with -law fixed")
	usage("tune -law fixed -base gaussian -noise 1", "-count is missing", "must be")
	usage("tune -law tnb -base gaussian -noise 1", "-mean is missing", "-gamma")
	usage("tune -law tnb -mean 3 -base sgd -noise 1", "-rate is missing", "-steps is missing")
	usage("tune -law tnb -mean 3 -base sgd -noise 1 -rate 0.1 -steps 3 -base-count 2", "-base-count 2", "must not be given with -base sgd")
	usage(curve+" -plan plan.json", "-base gaussian", "must not be given with -plan")
	usage(curve+" -rate 0.1", "-rate 0.1", "must not be given with -base gaussian")
	usage(curve+" -kind tradeoff -max-epsilon 2", "-max-epsilon 2", "must not be given with -kind tradeoff")
	usage(curve+" -out a.svg -figure ./a.svg", "-out a.svg", "-figure ./a.svg", "must be two files")
	usage("plan", "no file", "must be the path")
	usage("plan plan.json plan.json", `"plan.json"`, "must be one file")
	usage("plan plan.json -noise 2", "not defined: -noise")
	usage("expost", "no file", "must be the path")
	usage("expost plan.json plan.json", `"plan.json"`, "must be one file")
	usage("expost plan.json -noise 2", "not defined: -noise")
	usage("expost plan.json -delta 1", "-delta 1", "must be in (0, 1)")
	for _, line := range []string{"plan ", "curve -plan ", "expost "} {
		fails(line+"missing.json", "missing.json", "no such file")
		fails(line+"missing/plan.json", "missing/plan.json", "no such file")
		fails(line+"plan.json/plan.json", "plan.json/plan.json", "not a directory")
		fails(line+"folder", "folder", "is a directory")
		fails(line+"empty.json", "empty.json", "must be a JSON object")
		fails(line+"binary.json", "binary.json", "byte 1, 0xff", "must be UTF-8")
		fails(line+"list.json", "list.json", "must be a JSON object")
		fails(line+"half.json", "half.json", "must be a JSON object")
		fails(line+"two.json", "two.json", "must be a JSON object")
	}
	usage("curve -plan list.json -out ./list.json", "-out ./list.json", "is the file of the plan")
	for _, good := range []string{" -figure a.png", " -out a.csv"} {
		for _, bad := range []string{"none/x.png", "plan.json/x.png", "folder.png"} {
			flag := map[string]string{" -figure a.png": "-out", " -out a.csv": "-figure"}[good]
			fails(curve+good+" "+flag+" "+bad, flag, bad, "must be a file that can be written")
		}
	}
	fails("curve -plan missing.json -figure a.png -out a.csv", "missing.json", "no such file")
	if _, err := os.Stat("/dev/full"); err == nil { // which fails when the figure is written
		fails(curve+" -figure a.png -out /dev/full", "-out", "/dev/full", "no space left")
	}

	badinput.Command{Name: "dpcost", Prefix: "dpcost: ", Never: []string{"goroutine", "a fault of dpcost"}, Run: func(args []string) (int, string, string) {
		var stdout, stderr bytes.Buffer
		code := run(args, &stdout, &stderr)
		if command.AsksJSON(args) { // errors are there, as JSON
			stdout.Reset()
		}
		return code, stdout.String(), stderr.String()
	}}.Check(t, cases)
}

// Every field of every event, missing, of a wrong kind and out of range, is told by its own name,
// with value and rule.
func TestBadPlans(t *testing.T) {
	const inner = `{"type": "gaussian", "noise_multiplier": 1}`
	const tuning = `{"type": "selection", "law": {"type": "poisson", "mean": 3}, "base": ` + inner + `}`
	number, whole := []string{`"1"`, `true`, `[1]`, `1e999`, `1e-999`}, []string{`"1"`, `1.5`, `1e17`, `-1`, `0`}
	with := func(base []string, more ...string) []string { return append(slices.Clone(base), more...) }
	positive, unit := with(number, "-1", "0"), with(number, "-1", "0", "2")
	objects := []string{`1`, `[]`, `"gaussian"`, `{}`}
	cases := 0
	for _, c := range []struct {
		event  string // valid fields
		fields map[string][]string
	}{
		{`"type": "gaussian"`, map[string][]string{"noise_multiplier": positive}},
		{`"type": "laplace"`, map[string][]string{"noise_multiplier": positive}},
		{`"type": "randomized_response"`, map[string][]string{"truth": with(number, "-1", "0.1", "1")}},
		{`"type": "pure_dp"`, map[string][]string{"epsilon": with(number, "-1")}},
		{`"type": "exponential_mechanism"`, map[string][]string{"epsilon": with(number, "-1")}},
		{`"type": "permute_and_flip"`, map[string][]string{"epsilon": with(number, "-1")}},
		{`"type": "approx_dp", "delta": 0.1`, map[string][]string{"epsilon": with(number, "-1")}},
		{`"type": "approx_dp", "epsilon": 1`, map[string][]string{"delta": with(number, "-1", "1", "2")}},
		{`"type": "zcdp"`, map[string][]string{"rho": with(number, "-1")}},
		{`"type": "dp_sgd", "noise_multiplier": 1, "steps": 3`, map[string][]string{"sampling_rate": unit}},
		{`"type": "dp_sgd", "sampling_rate": 0.1, "steps": 3`, map[string][]string{"noise_multiplier": positive}},
		{`"type": "dp_sgd", "sampling_rate": 0.1, "noise_multiplier": 1`, map[string][]string{"steps": whole}},
		{`"type": "poisson_sampled", "event": ` + inner, map[string][]string{"sampling_rate": unit}},
		{`"type": "poisson_sampled", "sampling_rate": 0.1`, map[string][]string{"event": objects}},
		{`"type": "sampled_without_replacement", "population_size": 9, "event": ` + inner, map[string][]string{"sample_size": with(whole, "10")}},
		{`"type": "sampled_without_replacement", "sample_size": 3, "event": ` + inner, map[string][]string{"population_size": with(whole, "2")}},
		{`"type": "self_composed", "event": ` + inner, map[string][]string{"count": whole}},
		{`"type": "self_composed", "count": 3`, map[string][]string{"event": objects}},
		{`"type": "composed"`, map[string][]string{"events": {`[]`, `1`, `{}`, `[1]`, `[{}]`}}},
		{`"type": "parallel"`, map[string][]string{"events": {`[]`, `1`, `{}`}}},
		{`"type": "worst_case"`, map[string][]string{"events": {`[]`, `1`, `{}`}}},
		{`"type": "discrete_pair", "without": [0.5, 0.5]`, map[string][]string{"with": {`1`, `[]`, `[1]`, `[2, -1]`, `["a", 1]`, `[0.5, 0.4]`}}},
		{`"type": "selection", "base": ` + inner, map[string][]string{"law": {`1`, `[]`, `{}`, `{"type": "abc"}`}}},
		{`"type": "selection", "law": {"type": "fixed", "count": 3}`, map[string][]string{"base": objects}},
		{`"type": "tune_then_train", "tuning": ` + tuning + `, "training": ` + inner + `, "variant": "all data"`, map[string][]string{"tuning_rate": unit}},
		{`"type": "tune_then_train", "tuning_rate": 0.1, "training": ` + inner + `, "variant": "all data"`, map[string][]string{"tuning": with(objects, inner)}},
		{`"type": "tune_then_train", "tuning_rate": 0.1, "tuning": ` + tuning + `, "variant": "all data"`, map[string][]string{"training": objects}},
		{`"type": "tune_then_train", "tuning_rate": 0.1, "tuning": ` + tuning + `, "training": ` + inner, map[string][]string{"variant": {`1`, `""`, `"rest"`}}},
		{`"type": "above_threshold", "threshold_noise": 1, "score_noise": 1, "max_tests": 3, "max_positives": 1, "refresh": "once"`, map[string][]string{"sensitivity": positive}},
		{`"type": "above_threshold", "sensitivity": 1, "score_noise": 1, "max_tests": 3, "max_positives": 1, "refresh": "once"`, map[string][]string{"threshold_noise": positive}},
		{`"type": "above_threshold", "sensitivity": 1, "threshold_noise": 1, "max_tests": 3, "max_positives": 1, "refresh": "once"`, map[string][]string{"score_noise": positive}},
		{`"type": "above_threshold", "sensitivity": 1, "threshold_noise": 1, "score_noise": 1, "max_positives": 1, "refresh": "once"`, map[string][]string{"max_tests": whole}},
		{`"type": "above_threshold", "sensitivity": 1, "threshold_noise": 1, "score_noise": 1, "max_tests": 3, "refresh": "once"`, map[string][]string{"max_positives": with(whole, "4")}},
		{`"type": "above_threshold", "sensitivity": 1, "threshold_noise": 1, "score_noise": 1, "max_tests": 3, "max_positives": 1`, map[string][]string{"refresh": {`1`, `""`, `"never"`}}},
		{`"type": "above_threshold", "sensitivity": 1, "threshold_noise": 1, "score_noise": 1, "max_tests": 3, "max_positives": 1, "refresh": "once", "repeat": 1`, map[string][]string{"noise": {`1`, `""`, `"gumbel"`}}},
		{`"type": "zcdp", "rho": 1`, map[string][]string{"repeat": whole, "name": {`1`, `[]`}}},
	} {
		for field, values := range c.fields {
			if field != "repeat" && field != "name" && field != "noise" {
				values = append(slices.Clone(values), "", "null")
			}
			for _, value := range values {
				cases++
				event := `{` + c.event + `, "` + field + `": ` + value + `}`
				if value == "" {
					event = `{` + c.event + `}`
				}
				planRefused(t, `{"events": [`+event+`]}`, field, value)
			}
		}
	}
	laws := map[string]map[string][]string{
		`"type": "tnb", "gamma": 0.1`:                            {"eta": with(number, "-1", "2e12")},
		`"type": "tnb", "eta": 0`:                                {"gamma": unit},
		`"type": "tnb", "eta": 1`:                                {"mean": with(number, "-1", "0", "1")},
		`"type": "poisson"`:                                      {"mean": positive},
		`"type": "binomial", "p": 0.5`:                           {"trials": whole},
		`"type": "binomial", "trials": 3`:                        {"p": with(unit, "1")},
		`"type": "fixed"`:                                        {"count": whole},
		`"type": "two_point", "single": 0.5`:                     {"runs": whole},
		`"type": "two_point", "runs": 3`:                         {"single": with(unit, "1")},
		`"type": "truncated", "law": {"type":"fixed","count":1}`: {"max": whole},
		`"type": "capped", "law": {"type":"fixed","count":1}`:    {"max": whole},
		`"type": "truncated", "max": 3`:                          {"law": {`1`, `{}`, `[]`}},
		`"type": "pmf"`:                                          {"weights": {`1`, `[]`, `[1]`, `[0.5, "a"]`, `[2, -1]`, `[0.5, 0.4]`, `[1, 0]`}},
	}
	for law, fields := range laws {
		for field, values := range fields {
			for _, value := range values {
				cases++
				planRefused(t, `{"events": [{"type": "selection", "base": `+inner+`, "law": {`+law+`, "`+field+`": `+value+`}}]}`, field, value)
			}
		}
	}
	for field, values := range map[string][]string{"delta": with(unit, "1", "null"), "neighboring": {`1`, `""`, `"friends"`, `null`}, "events": {`1`, `{}`, `[]`, `[1]`, `null`}, "evnets": {`[]`}} {
		for _, value := range values {
			cases++
			text := `{"` + field + `": ` + value
			if field != "events" {
				text += `, "events": [` + inner + `]`
			}
			planRefused(t, text+`}`, field, value)
		}
	}
	t.Logf("%d bad plans", cases)
}

func planRefused(t *testing.T, text, field, value string) {
	t.Helper()
	path := writePlan(t, text)
	stdout, stderr, code := call(t, "plan "+path)
	message, named := strings.CutPrefix(stderr, "dpcost: plan "+path+": ")
	value = strings.Trim(value, `"`)
	isNumber := value != "" && strings.Trim(value, "-+.0123456789e") == ""
	if code != 1 || stdout != "" || !named || !strings.Contains(message, field) || isNumber && !strings.Contains(message, value) && !strings.Contains(message, said(value)) || !strings.Contains(message, "must ") && !strings.Contains(message, "is too near 0") {
		t.Errorf("%s: exit %d, %q, %q, want exit 1 with %s, %s and the rule", text, code, stdout, message, field, value)
	}
	if goName := strings.IndexFunc(strings.NewReplacer("JSON", "", "Gaussian(", "", "K = 0", "", "K >= 1", "").Replace(message), func(r rune) bool { return r >= 'A' && r <= 'Z' }); goName >= 0 {
		t.Errorf("%s: %q has a name that was not written", text, message)
	}
}
