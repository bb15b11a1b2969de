package program

import "github.com/gomlx/gomlx/core/graph"

// microbatch is a microbatch in a graph. R is 1 if all replicas share it.
type microbatch struct {
	rows   *graph.Node // [R, B, F]
	norms  *graph.Node // [R, B], squared norms of the rows
	labels *graph.Node // [R, B], int32
	mask   *graph.Node // [R, B], 1 for an example, 0 for padding

	targets *graph.Node // [R, B, n]; nil without
	coins   *graph.Node // [R, B, n]; nil without
}

// BatchInputs returns the number of inputs of a microbatch.
func (p Step) BatchInputs() int {
	count := p.columns() + 1
	if p.Coins > 0 {
		count++
	}
	if p.OnDevice {
		count++
	}
	if p.SharesExample && p.OnDevice {
		count++
	}
	return count
}

// columns returns how many arrays the data have: rows, norms, labels, and targets if there are any.
func (p Step) columns() int {
	if p.Targets {
		return 4
	}
	return 3
}

// microbatch returns the microbatch in a program's inputs. Without a table on the device, these are
// rows, norms, labels, targets and coins if there are any, and mask. With one, they are entries and
// mask, whether replicas have the crafted example [R] if there is one, coins, and the table.
func (p Step) microbatch(in []*graph.Node) microbatch {
	columns := p.columns()
	if !p.OnDevice {
		m := p.ofColumns(in[:columns], in[len(in)-1])
		if p.Coins > 0 {
			m.coins = in[columns]
		}
		return m
	}
	entries, mask, table := graph.InsertAxes(in[0], -1), in[1], in[len(in)-columns:]
	if p.SharesExample {
		mask = p.ownMask(in[0], mask, in[2])
	}
	gathered := make([]*graph.Node, columns)
	for i, column := range table {
		gathered[i] = graph.Gather(column, entries)
	}
	m := p.ofColumns(gathered, mask)
	if p.Coins > 0 {
		m.coins = in[len(in)-columns-1]
	}
	return m
}

// ofColumns returns the microbatch of some columns.
func (p Step) ofColumns(columns []*graph.Node, mask *graph.Node) microbatch {
	m := microbatch{rows: columns[0], norms: columns[1], labels: columns[2], mask: mask}
	if p.Targets {
		m.targets = columns[3]
	}
	return m
}

// ownMask returns the mask [R, B] of entries [1, B] that replicas share. Only replicas that join,
// [R], have the crafted example.
func (p Step) ownMask(entries, mask, joins *graph.Node) *graph.Node {
	crafted := graph.Equal(entries, graph.Const(entries.Graph(), int32(p.Examples)))
	own := graph.ConvertDType(crafted, mask.DType())
	return graph.Add(graph.Mul(mask, graph.OneMinus(own)), graph.Mul(graph.InsertAxes(joins, -1), own)) // factors 0 and 1
}
