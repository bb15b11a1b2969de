package table_test

import (
	"fmt"
	"strings"

	"github.com/dplab/dplab/data/table"
)

// A file becomes a data set by what is known beforehand: the ages of people, not of these people.
func ExampleSchema() {
	schema := table.Schema{
		Features: []table.Feature{
			table.Number{Column: "age", Low: 0, High: 100},
			table.Category{Column: "sector", Values: []string{"private", "public"}, Other: true},
		},
		Target: table.Classes{Column: "vote", Values: []string{"no", "yes"}},
	}
	people, err := schema.Read("people.csv", strings.NewReader("age,sector,vote\n25,public,yes\n50,farm,no\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(schema.FeatureNames())
	fmt.Println(people.Row(0), people.Labels[0])
	fmt.Println(people.Row(1), people.Labels[1])
	_, err = schema.Read("people.csv", strings.NewReader("age,sector,vote\nforty,public,yes\n"))
	fmt.Println(err)
	// Output:
	// [age sector=private sector=public sector (other)]
	// [-0.5 0 1 0] 1
	// [0 0 0 1] 0
	// table: people.csv: line 2: column "age" "forty": must be a finite number in decimal digits, such as -1.5 or 2e-3
}

// A file as R writes it: NA for what is missing, which becomes a feature, and dates.
func ExampleDate() {
	schema := table.Schema{
		Features: []table.Feature{
			table.Date{Column: "signed", First: "2001-01-01", Last: "2003-01-01"},
			table.Number{Column: "age", Low: 0, High: 100, MarkMissing: true},
		},
		Target:  table.Classes{Column: "paid", Values: []string{"FALSE", "TRUE"}},
		Missing: []string{"NA"},
	}
	loans, err := schema.Read("loans.csv", strings.NewReader("signed,age,paid\n2002-01-01,25,TRUE\n2010-06-30,NA,FALSE\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(schema.FeatureNames())
	fmt.Println(loans.Row(0))
	fmt.Println(loans.Row(1))
	// Output:
	// [signed age age (missing)]
	// [0 -0.5 0]
	// [1 0 1]
}

// The vocabulary is public. The words of the reviews would reveal reviews.
func ExampleText() {
	schema := table.Schema{
		Features: []table.Feature{table.Text{Column: "review", Vocabulary: []string{"good", "bad", "plot"}}},
		Target:   table.Classes{Column: "liked", Values: []string{"0", "1"}},
		Ignore:   []string{""}, // the index of pandas
	}
	reviews, err := schema.Read("reviews.csv", strings.NewReader(",review,liked\n0,A good plot!,True\n1,\"Bad, very bad.\",False\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(reviews.Row(0), reviews.Labels[0])
	fmt.Println(reviews.Row(1), reviews.Labels[1])
	// Output:
	// [1 0 1] 1
	// [0 1 0] 0
}
