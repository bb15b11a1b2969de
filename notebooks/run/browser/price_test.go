package browser

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

const repository = "../../.."

// .ci/run asks some, and somebody who changes the page or the command asks 200.
var settings = flag.Int("price.settings", 30, "settings of the page of an ε that are compared with the command")

// built runs go with the default build of the repository.
func built(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = repository
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return string(out)
}

// answer is what the page shows.
type answer struct{ Headline, Text, Command, Go, Statement, Fault string }

// ask fills the form of the page with a setting, in which the rest is as first shown, and sends it.
func (p *page) ask(setting string) {
	p.Helper()
	p.do(`
		const form = document.getElementById("question");
		form.reset();
		for (const [name, text] of new URLSearchParams(`+quote(setting)+`)) form.elements[name].value = text;
		form.dispatchEvent(new Event("input"));
		form.requestSubmit();`, nil)
}

// shown returns what the page shows.
func (p *page) shown() (a answer) {
	p.Helper()
	p.do(`
		const of = id => document.getElementById(id).textContent;
		return {Headline: of("headline"), Text: of("text"), Command: of("command"), Go: of("go"), Statement: of("statement"), Fault: document.querySelector("#state.fault")?.textContent || ""};`, &a)
	return a
}

// priced asks, and returns the whole answer.
func (p *page) priced(setting string) answer {
	p.Helper()
	p.ask(setting)
	p.until("the answer to "+setting, `document.getElementById("stop").hidden`, busy)
	return p.shown()
}

// The page of an ε answers what the command answers, in a browser, on a telephone too.
func TestPrice(t *testing.T) {
	chromium := findChromium(t)
	out, command := t.TempDir(), filepath.Join(t.TempDir(), "dpcost")
	built(t, "run", "./notebooks/site", "-out", out)
	built(t, "build", "-o", command, "./accounting/dpcost")
	server := httptest.NewServer(http.FileServer(http.Dir(out)))
	defer server.Close()
	p := open(t, t.Context(), chromium, server.URL+"/price.html")
	p.until("the program", `document.getElementById("state").textContent === "Ready."`, busy)

	first := p.priced("")
	p.shot("price")
	if first.Fault != "" || !strings.HasPrefix(first.Headline, "ε ≤ 0.918962 at δ = 1e-5, add-or-remove-one") || !strings.Contains(first.Statement, "fingerprint") {
		t.Fatalf("the first answer is %+v", first)
	}
	if _, err := chromedp.Call(p.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 390, Height: 844, DeviceScaleFactor: 2, Mobile: true}); err != nil {
		t.Fatal(err)
	}
	var width int
	p.do("return document.documentElement.scrollWidth;", &width)
	p.shot("price-telephone")
	if width > 390 {
		t.Errorf("the page is %d pixels wide on a telephone of 390", width)
	}

	outputs := filepath.Join(repository, "notebooks", "out") // git ignores it
	if err := os.MkdirAll(outputs, 0o755); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(outputs, "price")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(first.Go), 0o644); err != nil {
		t.Fatal(err)
	}
	if printed := built(t, "run", "./notebooks/out/"+filepath.Base(dir)); !strings.Contains(printed, "0.9189617") {
		t.Errorf("the program in Go prints %q", printed)
	}

	var proof string
	p.do(`return await (await fetch(document.getElementById("json").href)).text();`, &proof)
	check := func(proof string) answer {
		p.do(`
			const form = document.getElementById("question");
			form.elements.ask.value = "verify";
			form.dispatchEvent(new Event("input"));
			form.elements.answer.value = `+quote(proof)+`;
			form.requestSubmit();`, nil)
		p.until("the verdict", `document.getElementById("stop").hidden`, busy)
		return p.shown()
	}
	if got := check(proof); got.Fault != "" || !strings.HasPrefix(got.Text, "verified: ε <= 0.91896") {
		t.Errorf("the proof of the first answer: %+v", got)
	}
	if got := check(strings.Replace(proof, `"noise_multiplier": 1.1`, `"noise_multiplier": 1.2`, 1)); !strings.Contains(got.Fault, "not verified") {
		t.Errorf("an edited proof: %+v", got)
	}
	for setting, want := range map[string]string{
		"batch=70000": "-batch",
		"delta=2":     "-delta 2: must be in (0, 1)",
		"noise=1,5":   "1,5: must be one number",
		"neighboring=replace-one&given=target-epsilon": "give a noise multiplier",
	} {
		if got := p.priced(setting); !strings.Contains(got.Fault, want) {
			t.Errorf("%s: %+v, want %s", setting, got, want)
		}
	}
	if got := p.priced("neighboring=replace-one"); !strings.HasSuffix(got.Headline, "replace-one") || got.Command != "dpcost plan plan.json" || !strings.Contains(got.Statement, "replacing one") {
		t.Errorf("other neighbors: %+v", got)
	}
	if got := p.priced("noise=60000"); got.Fault != "" || !strings.HasPrefix(got.Headline, "ε ≤ 0 at") {
		t.Errorf("so much noise that nothing is lost: %+v", got)
	}
	p.ask("batches=capped&cap=256") // it takes seconds
	p.do(`document.getElementById("stop").click(); await null;`, nil)
	if got := p.priced("noise=2"); got.Fault != "" || !strings.HasPrefix(got.Headline, "ε ≤ 0.386472 at") {
		t.Errorf("a question at once after Stop: %+v", got)
	}
	for _, c := range []struct{ address, want string }{
		{"nosie=2", "has nosie=2"}, {"length=2", "has length=2"}, {"noise=2", "Answered"}, {"given=%3Cb%3E", "has given=<b>"},
	} {
		p.do(`setTimeout(() => { location.hash = `+quote(c.address)+`; });`, nil)
		time.Sleep(time.Second) // the page loads anew
		p.until("what "+c.address+" leads to", `document.getElementById("state").textContent.includes(`+quote(c.want)+`)`, busy)
	}
	p.until("the program", `!document.querySelector("#question [type=submit]").disabled`, busy)

	random := rand.New(rand.NewPCG(1, 2))
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	answered, stopped := 0, 0
	for range *settings {
		setting := fmt.Sprintf("ask=%s&neighboring=add-or-remove-one&examples=%s&batch=%s&epochs=%d&batches=%s&given=%s&noise=%.3g&target-epsilon=%.3g&delta=%s&law=%s&mean=%d&release=%s&cap=2000",
			one("sgd", "sgd", "tune"), one("5000", "60000", "1281167"), one("64", "100", "256", "1000"), 1+random.IntN(20),
			one("poisson", "poisson", "capped", "without-replacement", "with-replacement", "allocation", "shuffled", "shuffled-once", "fixed"),
			one("noise", "noise", "noise", "target-epsilon"), 0.5+2*random.Float64(), 0.5+4*random.Float64(), one("1e-5", "1e-6", "1e-7"),
			one("logarithmic", "geometric", "poisson", "fixed"), 2+random.IntN(20), one("best", "best", "first"))
		p.ask(setting)
		asked := p.shown().Command
		want, err := p.native(command, asked)
		if err != nil { // it takes long, and longer in a browser
			stopped++
			p.do(`document.getElementById("stop").click();`, nil)
			p.until("the program", `document.getElementById("state").textContent === "Ready."`, busy)
			continue
		}
		p.until("the answer to "+asked, `document.getElementById("stop").hidden`, busy)
		shown := p.shown()
		if answered++; shown.Text != want && shown.Fault != want {
			t.Errorf("%s: the page has\n%s%s\nthe command\n%s", asked, shown.Text, shown.Fault, want)
		}
	}
	if t.Logf("%d answers, %d stopped", answered, stopped); answered < *settings/2 {
		t.Error("few settings have an answer")
	}
	p.noTrouble()
}

// native returns what the command prints, or its error, within some seconds.
func (p *page) native(command, line string) (string, error) {
	ctx, end := context.WithTimeout(p.ctx, 4*time.Second)
	defer end()
	cmd := exec.CommandContext(ctx, command, strings.Fields(line)[1:]...)
	var faults strings.Builder
	cmd.Stderr = &faults
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return strings.TrimSpace(faults.String()), nil
	}
	return string(out), nil
}
