package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"math"
	"os"
	"strings"
	"testing"
)

var draw = flag.Bool("draw", false, "write the picture of the README again")

// The bars of README's picture are what the commands below it print, rounded up. The last is the
// first with ten times the steps.
func TestPictureOfTheReadme(t *testing.T) {
	const (
		sgd  = "sgd -rate 0.01 -noise 2 -steps 5000 -delta 1e-5"
		tune = "tune -law logarithmic -mean 10 -base " + sgd
		ten  = "sgd -rate 0.01 -noise 2 -steps 50000 -delta 1e-5"
		path = "../../notebooks/gallery/prices.svg"
	)
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]jsonAnswer{}
	for _, line := range []string{sgd, tune, ten} {
		if line != ten && !strings.Contains(string(readme), "dpcost "+line+"\n") {
			t.Errorf("README lacks the command dpcost %s", line)
		}
		stdout, stderr, code := call(t, line+" -json")
		var a jsonAnswer
		if err := json.Unmarshal([]byte(stdout), &a); code != 0 || err != nil {
			t.Fatalf("%s: code %d, %v, %s", line, code, err, stderr)
		}
		answers[line] = a
	}
	bound := func(name string) float64 {
		for _, b := range answers[tune].Bounds {
			if b.Name == name {
				return b.Epsilon
			}
		}
		t.Fatalf("tune has no bound %q", name)
		return 0
	}
	headline := func(line string) float64 { return answers[line].Epsilon.Upper.(float64) }
	bars := []struct {
		label, color string
		epsilon      float64
	}{
		{"one training", "#8c8c8c", headline(sgd)},
		{"best of 10 on average: dplab, checked", "#0b5394", headline(tune)},
		{"the same: best published bound (2024)", "#b8b8b8", bound("profile, contour")},
		{"the same: theorem of Papernot and Steinke (2022)", "#b8b8b8", bound("Theorem 2")},
		{"all 10 trainings, composed", "#b8b8b8", headline(ten)},
	}
	const width, row, top, room = 480.0, 56.0, 40.0, 72.0
	height := top + row*float64(len(bars)) + 8
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %[1]g %[2]g" role="img" font-family="Helvetica, Arial, sans-serif" font-size="17">`+"\n", width, height)
	b.WriteString("<title>What ε one training costs, and the best of ten</title>\n")
	fmt.Fprintf(&b, `<rect width="%g" height="%g" fill="#ffffff"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<text x="8" y="24" font-weight="bold">ε at δ = 1e-5</text>`+"\n")
	longest := headline(ten)
	for i, bar := range bars {
		y, w := top+row*float64(i), (width-8-room)*bar.epsilon/longest
		up := fmt.Sprintf("%.3f", math.Ceil(bar.epsilon*1e3)/1e3)
		fmt.Fprintf(&b, `<text x="8" y="%g">%s</text>`+"\n", y+16, html.EscapeString(bar.label))
		fmt.Fprintf(&b, `<rect x="8" y="%g" width="%.1f" height="22" fill="%s"/>`+"\n", y+22, w, bar.color)
		fmt.Fprintf(&b, `<text x="%.1f" y="%g" font-weight="bold">%s</text>`+"\n", 8+w+6, y+39, up)
	}
	b.WriteString("</svg>\n")
	if *draw {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if stored, err := os.ReadFile(path); err != nil || string(stored) != b.String() {
		t.Errorf("%s is not what the commands print (%v): go test ./accounting/dpcost -run PictureOfTheReadme -draw", path, err)
	}
}
