package index

import (
	"fmt"
	"strings"
)

// Overview returns one row of a Markdown table for each paper: what is shown, what in part, what not.
func Overview(rows []Row) string {
	var out strings.Builder
	out.WriteString("| paper | shown in full | in part | not yet |\n|---|---|---|---|\n")
	var all, shown int
	for _, p := range Papers {
		var full, part, not []string
		for _, r := range rows {
			if r.Paper != p.Name {
				continue
			}
			all++
			switch {
			case !r.Shown():
				not = append(not, r.Name)
			case r.Missing != "":
				shown++
				part = append(part, r.Name)
			default:
				shown++
				full = append(full, r.Name)
			}
		}
		fmt.Fprintf(&out, "| [%s](notebooks/%s.ipynb): %s | %s | %s | %s |\n", p.Name, p.Name, p.Title, list(full), list(part), list(not))
	}
	fmt.Fprintf(&out, "\n%d of %d figures, tables and worked examples are shown, in full or in part.\n", shown, all)
	return out.String()
}

// Listing returns one row of a Markdown table for each item, with links from the folder of the notebooks, dir.
func Listing(rows []Row, dir string) string {
	var out strings.Builder
	out.WriteString("| paper | item | shows | made by | stored | verdict | at full size |\n|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		var functions []string
		for _, f := range r.Functions {
			functions = append(functions, fmt.Sprintf("[`%s`](%s)", f, Source(dir, f)))
		}
		about := r.About
		if r.Shown() && r.Missing != "" {
			about += " (not shown: " + r.Missing + ")"
		}
		fmt.Fprintf(&out, "| [%s](%s.ipynb) | %s | %s; %s | %s | %s | %s | %s |\n",
			r.Paper, r.Paper, r.Name, about, r.Kind, strings.Join(functions, ", "), r.Made(), r.Verdict(), r.FullSize())
	}
	return strings.ReplaceAll(out.String(), "  |", " |")
}

// BeyondListing returns what the notebooks add to the papers, as a Markdown list.
func BeyondListing() string {
	var out strings.Builder
	out.WriteString("\nBeyond the papers:\n\n")
	for _, p := range Papers {
		for _, b := range p.Beyond {
			fmt.Fprintf(&out, "- [%s](%s.ipynb): %s (`%s`)\n", p.Name, p.Name, b.About, strings.Join(b.Functions, "`, `"))
		}
	}
	return out.String()
}

// Made says how the stored outputs were made, when, and how much they are: "quick, 2026-11-23: 1 figure of 120 points".
func (r Row) Made() string {
	switch {
	case r.Profile == "":
		return ""
	case r.Day == "":
		return r.Profile + ": " + r.StoredSize()
	}
	return r.Profile + ", " + r.Day + ": " + r.StoredSize()
}

// list joins names and writes runs of figures, or of tables, once: "Figures 1 to 4 and 6, Table 3".
func list(names []string) string {
	var out []string
	for i := 0; i < len(names); {
		kind, _, numbered := strings.Cut(names[i], " ")
		var numbers []int
		for ; numbered && i < len(names); i++ {
			k, n, _ := strings.Cut(names[i], " ")
			var number int
			if _, err := fmt.Sscanf(n, "%d", &number); k != kind || err != nil || fmt.Sprint(number) != n {
				break
			}
			numbers = append(numbers, number)
		}
		if len(numbers) == 0 {
			out = append(out, names[i])
			i++
			continue
		}
		if len(numbers) > 1 {
			kind += "s"
		}
		out = append(out, kind+" "+ranges(numbers))
	}
	return strings.Join(out, ", ")
}

// ranges writes rising numbers, three and more in a row as "1 to 4".
func ranges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if j-i >= 2 {
			parts = append(parts, fmt.Sprintf("%d to %d", numbers[i], numbers[j]))
			i = j + 1
			continue
		}
		parts = append(parts, fmt.Sprint(numbers[i]))
		i++
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

// Between returns text with what stands between the lines "<!-- NAME -->" and "<!-- end of NAME -->" replaced.
func Between(text, name, content string) (string, error) {
	head, foot := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
	before, rest, ok := strings.Cut(text, head)
	_, after, ok2 := strings.Cut(rest, foot)
	if !ok || !ok2 {
		return "", fmt.Errorf("index: there are no lines %q and %q", strings.TrimSpace(head), foot)
	}
	return before + head + content + foot + after, nil
}
