package scorefile_test

import (
	"fmt"
	"strings"

	"github.com/dplab/dplab/audit/scorefile"
)

func ExampleRead() {
	// As pandas writes a data frame with an index and other columns.
	file := ",loss,score,member\n0,0.2,1.5,True\n1,3.1,-2.0,False\n2,0.4,0.9,True\n"
	scores, err := scorefile.Read(strings.NewReader(file))
	fmt.Println(scores.Member, scores.NonMember, err)
	// Output:
	// [1.5 0.9] [-2] <nil>
}

func ExampleColumns_Read() {
	columns := scorefile.Columns{Score: "llr", Member: "is_in"}
	_, err := columns.Read(strings.NewReader("llr;is_in\n1.5;1\nx;0\n"))
	fmt.Println(err)
	// Output:
	// scorefile: line 3: score "x": must be a finite number in decimal digits, such as -1.5 or 2e-3
}
