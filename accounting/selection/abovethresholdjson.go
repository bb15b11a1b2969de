package selection

import "github.com/dplab/dplab/accounting"

func init() {
	accounting.RegisterEventFormat(accounting.NewEventFormat("above_threshold",
		func(e AboveThreshold) []accounting.JSONField {
			return []accounting.JSONField{
				{Name: "sensitivity", Value: e.Sensitivity},
				{Name: "threshold_noise", Value: e.ThresholdNoise}, {Name: "score_noise", Value: e.ScoreNoise},
				{Name: "max_tests", Value: e.MaxTests}, {Name: "max_positives", Value: e.MaxPositives},
				{Name: "refresh", Value: e.Refresh.String()},
			}
		},
		func(o *accounting.JSONObject) AboveThreshold {
			e := AboveThreshold{
				Sensitivity: o.Float("sensitivity"), ThresholdNoise: o.Float("threshold_noise"), ScoreNoise: o.Float("score_noise"),
				MaxTests: o.Int("max_tests"), MaxPositives: o.Int("max_positives"),
			}
			name := o.Text("refresh")
			for r := EachTest; r <= Once; r++ {
				if r.String() == name {
					e.Refresh = r
					return e
				}
			}
			o.Fault("refresh", "%q: must be %q, %q or %q", name, EachTest, EachPositive, Once)
			return e
		}))
}
