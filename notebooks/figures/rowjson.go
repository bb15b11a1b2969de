package figures

import "encoding/json"

// rowJSON is the JSON form of a ComparisonRow. Difference and Verdict are for readers; they are computed anew
// when the row is read back.
type rowJSON struct {
	Quantity   string `json:"quantity"`
	Ours       Number `json:"ours"`
	OursErr    Number `json:"oursErr,omitempty"`
	Paper      Number `json:"paper"`
	AbsErr     Number `json:"absErr"`
	Difference Number `json:"difference"`
	Verdict    string `json:"verdict"`
	Source     string `json:"source"`
	Note       string `json:"note,omitempty"`
}

// MarshalJSON writes the row with its difference, to nine digits, and verdict.
func (r ComparisonRow) MarshalJSON() ([]byte, error) {
	return json.Marshal(rowJSON{r.Quantity, Number(r.Ours), Number(r.OursErr), Number(r.Paper), Number(r.AbsErr),
		Number(Round(r.Difference(), 9)), r.Verdict(), r.Source, r.Note})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *ComparisonRow) UnmarshalJSON(data []byte) error {
	var j rowJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*r = ComparisonRow{j.Quantity, float64(j.Ours), float64(j.OursErr), float64(j.Paper), float64(j.AbsErr), j.Source, j.Note}
	return nil
}
