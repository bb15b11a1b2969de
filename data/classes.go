package data

import "slices"

// OfClasses returns the examples of some classes, which are numbered anew in the order given. It
// decides on each example by itself. Adding an example to the whole adds it to the part, or leaves
// the part as it is. OfClasses panics if a class is listed twice.
func (d Dataset) OfClasses(name string, classes ...int32) Dataset {
	to := map[int32]int32{}
	for k, class := range classes {
		if _, twice := to[class]; twice {
			panic("data: OfClasses: a class stands there twice")
		}
		to[class] = int32(k)
	}
	var rows []int
	for i, label := range d.Labels {
		if slices.Contains(classes, label) {
			rows = append(rows, i)
		}
	}
	part := d.Subset(name, rows)
	part.Classes = len(classes)
	for i, label := range part.Labels {
		part.Labels[i] = to[label]
	}
	return part
}
