package figures_test

import (
	"testing"

	"github.com/dplab/dplab/notebooks/figures"
)

func TestTableValidate(t *testing.T) {
	if err := (figures.Table{Name: "t", Columns: []string{"a", "b"}, Rows: [][]string{{"1", "2"}}}).Validate(); err != nil {
		t.Errorf("good table: %v", err)
	}
	for _, bad := range []figures.Table{{Name: "t"}, {Name: "t", Columns: []string{"a"}, Rows: [][]string{{"1", "2"}}}, {Columns: []string{"a"}}} {
		if err := bad.Validate(); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}
