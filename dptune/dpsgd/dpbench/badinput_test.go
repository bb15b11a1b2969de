package main

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/command/badinput"
	"github.com/dplab/dplab/dptune/dpsgd/internal/freememory"
)

// Every message names the field, the value and the rule, and nothing is written.
func TestBadInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("folder", 0o700); err != nil {
		t.Fatal(err)
	}
	const tooLong = "99999999999999999999"
	whole := []string{"", "abc", "NaN", "Inf", "-1", "0", "1.5", "1e3", "0x10", "1048577", tooLong}
	words := []string{"", "abc", "0", "GO", "none"}
	refused := func(flag string, values ...string) []badinput.Line { return badinput.Refused(nil, flag, values...) }
	usage := func(line string, says ...string) badinput.Line { return badinput.Of(2, line, says...) }
	fails := func(line string, says ...string) badinput.Line { return badinput.Of(1, line, says...) }
	cases := slices.Concat(
		refused("batch", whole...), refused("replicas", whole...), refused("steps", whole...),
		refused("goroutines", append(whole, "4097")...), refused("chunk", whole...), refused("microbatch", append(whole, "65537")...),
		refused("steps-per-call", append(whole, "1025", "2")...),
		refused("seconds", "", "abc", "NaN", "Inf", "-1", "0", "86401", "1e999", "1s"),
		refused("float64", "", "maybe", "2"), refused("table", "", "maybe", "2"),
		refused("model", words...), refused("mode", words...), refused("backend", words...), refused("batches", words...),
		refused("sampling", words...), refused("generator", words...), refused("estimate", words...), refused("cpuprofile", ""),
		[]badinput.Line{
			usage("mlp", `"mlp"`, "must be a flag"),
			usage("-batch 3 mlp", `"mlp"`, "must be a flag"),
			usage("-speed 3", "not defined: -speed"),
			usage("-batch", "needs an argument: -batch"),
			usage("-estimate list -batch 3", "-batch must not be given with -estimate"),
			usage("-estimate list -table", "-estimate must not be given with -table"),
			usage("-table -model mlp", "-model must not be given with -table"),
			usage("-table -float64", "-float64 must not be given with -table"),
			usage("-table -cpuprofile x", "-cpuprofile must not be given with -table"),
			fails("-cpuprofile none/x", "-cpuprofile", "none/x", "must be a file that can be written"),
			fails("-cpuprofile file/x", "-cpuprofile", "file/x", "must be a file that can be written"),
			fails("-cpuprofile folder", "-cpuprofile", "folder", "must be a file that can be written"),
		})
	if freememory.Bytes() > 0 { // else nobody knows what fits
		cases = append(cases,
			// More than any machine has: 2^20 models of at least 10^7 parameters.
			fails("-model resnet18 -batch 1048576 -replicas 1048576", "-batch 1048576", "-replicas 1048576", "must be at most"),
			fails("-model resnet18 -replicas 1048576", "-replicas 1048576", "must be at most", "would fit"),
			fails("-model resnet18 -replicas 1048576 -cpuprofile x", "-replicas 1048576", "must be at most"), // and no profile
			fails("-estimate cebere2024/figure1 -replicas 1048576", "-replicas 1048576", "must be at most"))
	}
	badinput.Command{Name: "dpbench", Prefix: "dpbench: ", Never: []string{"Performance.", "Config."}, Run: func(args []string) (int, string, string) {
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), args, &stdout, &stderr)
		return code, stdout.String(), stderr.String()
	}}.Check(t, cases)
}

// What does not fit is refused with what would, which is then not refused; what fits is not refused.
func TestMemoryIsCheckedFirst(t *testing.T) {
	for _, c := range []struct {
		line string
		free int64
		want string
	}{
		{"-model mlp -batch 1000", 1e9, ""},
		{"-model mlp -batch 1000000", 1e9, "-batch 250000 would fit"},                 // 3.1 GB of 784 features and a label
		{"-model mlp -batch 100 -replicas 10000", 4e9, "-replicas 1250 would fit"},    // 110,000 parameters, 8.8 GB at least
		{"-model mlp -batch 1000000 -replicas 10000", 1e9, "lower -batch and -repli"}, // either is too much
		{"-model mlp -batch 100000 -sampling poisson", 1e9, "-batch 25000 would fit"}, // of ten times as many
	} {
		o, err := parse(strings.Fields(c.line))
		if err != nil {
			t.Fatal(err)
		}
		named, _ := findModel(o.model)
		model, err := named.Build()
		if err != nil {
			t.Fatal(err)
		}
		b := benchmark{options: o, named: named, model: model}
		err = b.checkMemory(c.free)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s in %d bytes: %v, want %q", c.line, c.free, err, c.want)
		}
	}
}
