package twin

// number is a place on a tape.
type number int

const none number = -1

// tape records sums and products, and what their results change by with each of at most two operands.
type tape struct{ entries []entry }

type entry struct {
	value float64
	of    [2]number
	slope [2]float64
}

func (t *tape) put(e entry) number {
	t.entries = append(t.entries, e)
	return number(len(t.entries) - 1)
}

func (t *tape) at(x number) float64 { return t.entries[x].value }

func (t *tape) constant(v float64) number {
	return t.put(entry{v, [2]number{none, none}, [2]float64{}})
}

func (t *tape) constants(values []float64) []number {
	list := make([]number, len(values))
	for i, v := range values {
		list[i] = t.constant(v)
	}
	return list
}

// function records a value that is a function of x with a slope.
func (t *tape) function(x number, value, slope float64) number {
	return t.put(entry{value, [2]number{x, none}, [2]float64{slope, 0}})
}

func (t *tape) scale(x number, by float64) number { return t.function(x, by*t.at(x), by) }

func (t *tape) plus(x number, by float64) number { return t.function(x, t.at(x)+by, 1) }

func (t *tape) add(x, y number) number {
	return t.put(entry{t.at(x) + t.at(y), [2]number{x, y}, [2]float64{1, 1}})
}

func (t *tape) sub(x, y number) number {
	return t.put(entry{t.at(x) - t.at(y), [2]number{x, y}, [2]float64{1, -1}})
}

func (t *tape) mul(x, y number) number {
	return t.put(entry{t.at(x) * t.at(y), [2]number{x, y}, [2]float64{t.at(y), t.at(x)}})
}

func (t *tape) div(x, y number) number {
	return t.put(entry{t.at(x) / t.at(y), [2]number{x, y}, [2]float64{1 / t.at(y), -t.at(x) / t.at(y) / t.at(y)}})
}

func (t *tape) sum(list []number) number {
	sum := t.constant(0)
	for _, x := range list {
		sum = t.add(sum, x)
	}
	return sum
}

func (t *tape) mean(list []number) number { return t.scale(t.sum(list), 1/float64(len(list))) }

// gradient returns what y changes by with each of the first numbers of the tape.
func (t *tape) gradient(y number, first int) []float64 {
	g := make([]float64, len(t.entries))
	g[y] = 1
	for i := y; i >= 0; i-- {
		for k, of := range t.entries[i].of {
			if of != none && g[i] != 0 {
				g[of] += g[i] * t.entries[i].slope[k]
			}
		}
	}
	return g[:first]
}
