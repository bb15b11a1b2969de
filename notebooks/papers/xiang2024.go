package papers

// Xiang2024 holds the published numbers of Xiang, Wang and Wang, "How Does Selection Leak Privacy"
// (arXiv 2402.13087), that our figures can be compared with. Figure 6 was not digitized: we have
// only the paper's text, which lacks the curves and the (η, ν) of the columns.
var Xiang2024 = Xiang2024Numbers{
	Delta:    1e-5,
	Steps:    500,
	Example1: xiang2024Example1,
	Table3:   xiang2024Table3(), Table3Trained: xiang2024Table3Trained(),
	Table4: xiang2024Table4(),
	Table3Holds: Value{Quantity: "share of the lower bounds that Table 3 prints for this game that are not above its exact ε", Number: 1,
		Source: Source{Paper: xiang2024Paper, Where: "Table 3, ETCV: lower bounds by equation (4)", Read: Stated}},
	Table4IsAlgorithm3: Value{Quantity: "share of printed values that are not below Algorithm 3", Number: 1,
		Source: Source{Paper: xiang2024Paper, Where: "Table 4: ε by Algorithm 3", Read: Stated}},
	Figure6: Xiang2024Figure6{
		Tighter: Value{Quantity: "share of τ, laws and ε_B where ε_U-O and ε_U-G are below ε_U-P", Number: 1,
			Source: Source{Paper: xiang2024Paper, Where: `Section 5.4: "much tighter", for all τ`, Read: Stated}},
		Games: 1_000_000,
		GapLeft: Value{Quantity: "gap between ε_U and ε_L at the smallest τ over that at τ = 1, “almost vanishes”", Number: 0,
			Source: Source{Paper: xiang2024Paper, Where: `Section 5.4: "when τ is smaller, the gap almost vanishes"`, Read: Stated, AbsErr: 0.25}},
	},
}

// Xiang2024Numbers is the type of Xiang2024.
type Xiang2024Numbers struct {
	Delta         float64 // of Figure 6 and Table 4; their captions
	Steps         int     // N of Figure 6 and Table 4; their captions
	Example1      Xiang2024Example1
	Table3        []Xiang2024Audit        // only ETCV, which has no data
	Table3Trained []Xiang2024TrainedAudit // NTNV and NTCV
	Table4        []Xiang2024Cell
	Figure6       Xiang2024Figure6

	Table3Holds, Table4IsAlgorithm3 Value // what the tables claim to be
}

// Xiang2024Audit is a cell of Table 3: ε_L of tuning at δ = 1e-5, mean of three trials, on the
// empty data set with the Dirac gradient.
type Xiang2024Audit struct {
	BaseEpsilon float64 // ε_B of one run
	A, B        Value   // from the proxies λ_a and λ_b
	Upper       Value   // ε_U, which holds for every game
}

// Xiang2024TrainedAudit is a cell of Table 3 whose X is a data set: "fashion-mnist", "cifar-10" or
// "svhn". Game is "NTNV" or "NTCV".
type Xiang2024TrainedAudit struct {
	Game, Data string
	Xiang2024Audit
}

// Xiang2024Figure6 has the text's claims on Figure 6.
type Xiang2024Figure6 struct {
	Games   int   // of one audit; Section 5.4
	Tighter Value // that both approximations are below ε_U-P
	GapLeft Value // a gap that almost vanishes is at most a quarter of the other, by our choice
}

// Xiang2024Example1 is Example 1: one run on two data sets, and the best of K runs with K
// from TNB(1, 1e-3).
type Xiang2024Example1 struct {
	B, D, Epsilon float64    // parameters of equation (6)
	Eta, Nu       float64    // of the law of K
	Tuned         [2][]Value // chances of the outputs A, B, C on the two data sets, equation (8)
	Pure          Value      // ε at δ = 0
	Approximate   Value      // ε at δ = 1e-5
	Bound         Value      // of Papernot and Steinke, at δ = 0
	BoundAtDelta  Value      // of Papernot and Steinke, at δ = 1e-5
}

// Xiang2024Cell is a cell of Table 4: ε at δ = 1e-5 of the best of K runs of DP-SGD, K = 1
// with chance Single and K = Runs otherwise.
type Xiang2024Cell struct {
	BaseEpsilon  float64 // ε_B of one run
	SamplingRate float64 // τ
	Runs         int     // L
	Single       float64 // s
	G, O         Value   // ε_U-G and ε_U-O
}

const xiang2024Paper = "Xiang, Wang and Wang (arXiv 2402.13087)"

func xiang2024Value(quantity string, number float64, where string, absErr float64) Value {
	return Value{Quantity: quantity, Number: number, Source: Source{Paper: xiang2024Paper, Where: where, Read: Printed, AbsErr: absErr}}
}

var xiang2024Example1 = Xiang2024Example1{
	B: 1e-3, D: 100, Epsilon: 1, Eta: 1, Nu: 1e-3,
	Tuned: [2][]Value{
		{
			xiang2024Value("P[A], data set X", 8.66e-3, "equation (8)", 5e-6),
			xiang2024Value("P[B], data set X", 2.60e-4, "equation (8)", 5e-7),
			xiang2024Value("P[C], data set X", 9.91e-1, "equation (8)", 5e-4),
		},
		{
			xiang2024Value("P[A], data set X'", 2.66e-3, "equation (8)", 5e-6),
			xiang2024Value("P[B], data set X'", 1.34e-5, "equation (8)", 5e-8),
			xiang2024Value("P[C], data set X'", 9.97e-1, "equation (8)", 5e-4),
		},
	},
	Pure:         xiang2024Value("ε of the tuning at δ = 0", 2.96, "Section 3.2", 0.005),
	Approximate:  xiang2024Value("ε of the tuning at δ = 1e-5", 2.92, "Appendix A.1", 0.005),
	Bound:        xiang2024Value("bound on ε at δ = 0", 3, "Section 3.2", 0),
	BoundAtDelta: xiang2024Value("bound on ε at δ = 1e-5", 3.11, "Appendix A.1", 0.005),
}

// xiang2024Table3 returns the last column.
func xiang2024Table3() (out []Xiang2024Audit) {
	for _, c := range []struct{ base, a, b, upper float64 }{{1, 1.17, 1.19, 1.86}, {2, 2.36, 2.09, 3.59}, {4, 4.28, 4.68, 6.79}} {
		out = append(out, Xiang2024Audit{c.base, xiang2024Value("ε_L, λ_a", c.a, "Table 3, ETCV", 0.005),
			xiang2024Value("ε_L, λ_b", c.b, "Table 3, ETCV", 0.005), xiang2024Value("ε_U", c.upper, "Table 3", 0.005)})
	}
	return out
}

// xiang2024Table3Trained returns the other columns.
func xiang2024Table3Trained() (out []Xiang2024TrainedAudit) {
	columns := []struct{ game, data, name string }{
		{"NTNV", "fashion-mnist", "F"}, {"NTNV", "cifar-10", "C"}, {"NTNV", "svhn", "S"}, {"NTCV", "fashion-mnist", "F"}, {"NTCV", "cifar-10", "C"}, {"NTCV", "svhn", "S"},
	}
	for _, row := range []struct {
		base float64
		a, b [6]float64
	}{
		{1, [6]float64{0.54, 0.84, 0.88, 0.52, 0.99, 1.06}, [6]float64{0.54, 0.77, 0.81, 0.52, 1.03, 1.11}},
		{2, [6]float64{0.99, 1.41, 1.35, 0.91, 1.17, 1.17}, [6]float64{1.00, 1.37, 1.32, 0.91, 1.19, 1.19}},
		{4, [6]float64{1.91, 2.13, 2.13, 1.74, 1.99, 1.99}, [6]float64{1.91, 2.13, 2.13, 1.74, 1.98, 1.98}},
	} {
		for i, c := range columns {
			where := "Table 3, " + c.game + " @ X = " + c.name
			out = append(out, Xiang2024TrainedAudit{c.game, c.data, Xiang2024Audit{BaseEpsilon: row.base,
				A: xiang2024Value("ε_L, λ_a", row.a[i], where, 0.005), B: xiang2024Value("ε_L, λ_b", row.b[i], where, 0.005)}})
		}
	}
	return out
}

// xiang2024Table4 returns the cells row by row.
func xiang2024Table4() []Xiang2024Cell {
	setups := []struct {
		runs   int
		single float64
	}{{10, 1e-1}, {10, 1e-2}, {100, 1e-2}, {100, 1e-3}, {1000, 1e-3}}
	rows := []struct {
		base, rate float64
		g, o       [5]float64
	}{
		{1, 1, [5]float64{1.13, 1.29, 2.58, 3.34, 5.42}, [5]float64{1.12, 1.28, 2.57, 3.33, 5.40}},
		{1, 0.5, [5]float64{1.13, 1.30, 2.59, 3.36, 5.43}, [5]float64{1.12, 1.28, 2.57, 3.33, 5.40}},
		{1, 0.1, [5]float64{1.13, 1.30, 2.59, 3.36, 5.44}, [5]float64{1.08, 1.24, 2.49, 3.23, 5.25}},
		{2, 1, [5]float64{2.23, 2.39, 4.28, 5.56, 8.27}, [5]float64{2.21, 2.38, 4.25, 5.53, 8.23}},
		{2, 0.5, [5]float64{2.25, 2.41, 4.30, 5.59, 8.31}, [5]float64{2.21, 2.38, 4.25, 5.53, 8.23}},
		{2, 0.1, [5]float64{2.40, 2.56, 4.48, 5.83, 8.57}, [5]float64{2.19, 2.36, 4.23, 5.50, 8.20}},
		{4, 1, [5]float64{4.51, 4.52, 5.93, 7.85, 10.22}, [5]float64{4.43, 4.44, 5.90, 7.80, 10.20}},
		{4, 0.5, [5]float64{4.51, 4.52, 5.93, 7.85, 10.22}, [5]float64{4.35, 4.37, 5.88, 7.76, 10.18}},
		{4, 0.1, [5]float64{4.96, 4.98, 6.15, 8.05, 10.27}, [5]float64{4.15, 4.16, 5.79, 7.63, 10.12}},
	}
	var cells []Xiang2024Cell
	for _, r := range rows {
		for i, s := range setups {
			cells = append(cells, Xiang2024Cell{
				BaseEpsilon: r.base, SamplingRate: r.rate, Runs: s.runs, Single: s.single,
				G: xiang2024Value("ε_U-G", r.g[i], "Table 4", 0.005),
				O: xiang2024Value("ε_U-O", r.o[i], "Table 4", 0.005),
			})
		}
	}
	return cells
}
