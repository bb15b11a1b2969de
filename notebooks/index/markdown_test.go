package index

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dplab/dplab/accounting/chart"
)

// Overview returns a Markdown table with one row for each paper: how many of its items are shown.
func Overview(rows []Row) string {
	var out strings.Builder
	out.WriteString("| paper | shown in full | in full, settings ours | in part | not yet |\n|---|---|---|---|---|\n")
	var all, shown int
	for _, p := range Papers {
		var full, ours, part, not int
		for _, r := range rows {
			switch {
			case r.Paper != p.Name:
			case !r.Shown():
				not++
			case r.Missing != "":
				part++
			case r.Ours != "":
				ours++
			default:
				full++
			}
		}
		all, shown = all+full+ours+part+not, shown+full+ours+part
		fmt.Fprintf(&out, "| [%s](notebooks/%s.ipynb): %s | %d | %d | %d | %d |\n", p.Name, p.Name, p.Title, full, ours, part, not)
	}
	fmt.Fprintf(&out, "\n%d of %d figures, tables and worked examples are shown, in full or in part. “Settings ours”: the paper's text lacks some, and we chose them.\n", shown, all)
	return out.String()
}

// Listing returns a Markdown table for each paper, with one row for each item and links from the
// folder of the notebooks, dir. It has neither dates nor counts of what is stored: a notebook
// that runs again changes a row only if a verdict changes.
func Listing(rows []Row, dir string) string {
	var out strings.Builder
	for _, p := range Papers {
		fmt.Fprintf(&out, "\n## [%s](%s.ipynb): %s\n\n", p.Name, p.Name, p.Title)
		out.WriteString("| item | shows | function | size shown | verdict | not shown |\n|---|---|---|---|---|---|\n")
		for _, r := range rows {
			if r.Paper != p.Name {
				continue
			}
			var functions []string
			for _, f := range r.Functions {
				functions = append(functions, fmt.Sprintf("[`%s`](%s)", strings.TrimLeft(strings.TrimPrefix(f, p.Name), "./"), Source(dir, f)))
			}
			size := string(r.Kind)
			if setup := r.Setup(); setup != "" {
				size += ": " + setup
			}
			fmt.Fprintf(&out, "| %s | %s | %s | %s | %s | %s |\n", r.Name, r.About, strings.Join(functions, ", "), size, r.Verdict(), r.Missing)
		}
	}
	return strings.ReplaceAll(out.String(), "  |", " |")
}

// BeyondListing returns what the notebooks add to the papers, as a Markdown list.
func BeyondListing() string {
	var out strings.Builder
	out.WriteString("\n## Beyond the papers\n\n")
	for _, p := range Papers {
		for _, b := range p.Beyond {
			fmt.Fprintf(&out, "- [%s](%s.ipynb): %s (`%s`)\n", p.Name, p.Name, b.About, strings.Join(b.Functions, "`, `"))
		}
	}
	return out.String()
}

// TrainingsListing returns what each stored training took, as a Markdown table.
func TrainingsListing(list []Training) string {
	var out strings.Builder
	var total float64
	out.WriteString("\n## Stored trainings\n\n")
	out.WriteString("| training | profile | shards | million model-steps | took | on | last shard |\n|---|---|---|---|---|---|---|\n")
	for _, t := range list {
		total += t.Seconds
		fmt.Fprintf(&out, "| %s | %s | %d of %d | %s | %s | %s | %s |\n", t.Experiment, t.Profile, t.Done, t.Shards, strconv.FormatFloat(chart.Round(t.ModelSteps/1e6, 2), 'f', -1, 64), duration(t.Seconds), t.On, t.Last)
	}
	fmt.Fprintf(&out, "\nA model-step is a step of one model. Times are by the clock, with compiling, and mostly next to other work on the same cores. All together: %s.\n", duration(total))
	out.WriteString("\nThe profile full is the largest that an experiment has. That of koskela2023 is smaller than the paper's: up to 4 of 10 repeats, 12,000 of 60,000 examples of mnist, another network in mnist-all.\n")
	return out.String()
}

// Between returns text with content in the place of what is between the lines "<!-- NAME -->" and
// "<!-- end of NAME -->".
func Between(text, name, content string) (string, error) {
	head, foot := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
	before, rest, ok := strings.Cut(text, head)
	_, after, ok2 := strings.Cut(rest, foot)
	if !ok || !ok2 {
		return "", fmt.Errorf("index: there are no lines %q and %q", strings.TrimSpace(head), foot)
	}
	return before + head + content + foot + after, nil
}
