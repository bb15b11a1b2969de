package figures

import (
	"encoding/json"

	"github.com/dplab/dplab/notebooks/papers"
)

// rowJSON is the JSON form of a ComparisonRow. Difference and Verdict are for readers; they are computed anew
// when the row is read back.
type rowJSON struct {
	Quantity   string `json:"quantity"`
	Ours       Number `json:"ours"`
	OursErr    Number `json:"oursErr,omitempty"`
	Reference  Number `json:"reference"`
	AbsErr     Number `json:"absErr"`
	Read       string `json:"read,omitempty"`
	Difference Number `json:"difference"`
	Verdict    string `json:"verdict"`
	Source     string `json:"source"`
	Note       string `json:"note,omitempty"`
}

// MarshalJSON writes the row with its difference, to nine digits, and verdict.
func (r ComparisonRow) MarshalJSON() ([]byte, error) {
	read := ""
	if r.Read != 0 {
		read = r.Read.String()
	}
	return json.Marshal(rowJSON{r.Quantity, Number(r.Ours), Number(r.OursErr), Number(r.Reference), Number(r.AbsErr),
		read, Number(Round(r.Difference(), 9)), r.Verdict(), r.Source, r.Note})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *ComparisonRow) UnmarshalJSON(data []byte) error {
	var j rowJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	var read papers.Read
	if j.Read != "" {
		var err error
		if read, err = papers.ParseRead(j.Read); err != nil {
			return err
		}
	}
	*r = ComparisonRow{j.Quantity, float64(j.Ours), float64(j.OursErr), float64(j.Reference), float64(j.AbsErr), read, j.Source, j.Note}
	return nil
}
