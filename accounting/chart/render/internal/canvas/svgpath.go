package canvas

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
)

// svgPath collects the data of a path. Coordinates are in hundredths of a point of the page.
type svgPath struct {
	data           strings.Builder
	x, y           float64 // the last point
	startX, startY float64 // the start of this part of the path
	command        byte    // the last one
}

// data returns a path's data, by SVG 1.1, 8.3.
func (s state) data(p vg.Path) string {
	var out svgPath
	for _, step := range p {
		x, y := s.place(float64(step.Pos.X), float64(step.Pos.Y))
		switch step.Type {
		case vg.MoveComp:
			out.move(x, y)
		case vg.LineComp:
			out.line(x, y)
		case vg.ArcComp:
			out.arc(s, step)
		case vg.CurveComp:
			command := byte('q')
			var points []float64
			for _, control := range step.Control {
				cx, cy := s.place(float64(control.X), float64(control.Y))
				points = append(points, cx-out.x, cy-out.y)
			}
			if len(step.Control) == 2 {
				command = 'c'
			}
			out.write(command, append(points, x-out.x, y-out.y)...)
			out.x, out.y = x, y
		case vg.CloseComp:
			out.write('z')
			out.x, out.y = out.startX, out.startY
		}
	}
	return out.data.String()
}

// write writes a command with its numbers. It leaves out the letter if the last command was the
// same.
func (p *svgPath) write(command byte, hundredths ...float64) {
	first := command != p.command || len(hundredths) == 0
	if first {
		p.data.WriteByte(command)
		p.command = command
	}
	for _, n := range hundredths {
		text := decimal(n)
		if !first && text[0] != '-' {
			p.data.WriteByte(' ')
		}
		p.data.WriteString(text)
		first = false
	}
}

func (p *svgPath) move(x, y float64) {
	p.command = 0 // more pairs after a move would be lines
	p.write('M', x, y)
	p.command = 0
	p.x, p.y, p.startX, p.startY = x, y, x, y
}

// line draws a line to a point. It leaves out a line shorter than a hundredth of a point, unless it
// is the first one, which is a dot.
func (p *svgPath) line(x, y float64) {
	dx, dy := x-p.x, y-p.y
	switch {
	case dx == 0 && dy == 0 && p.command != 0:
		return
	case dy == 0:
		p.write('h', dx)
	case dx == 0:
		p.write('v', dy)
	default:
		p.write('l', dx, dy)
	}
	p.x, p.y = x, y
}

// arc goes to the start of an arc, and draws it in parts of at most half a turn.
func (p *svgPath) arc(s state, a vg.PathComp) {
	at := func(angle float64) (x, y float64) {
		sin, cos := math.Sincos(angle)
		return s.place(float64(a.Pos.X)+float64(a.Radius)*cos, float64(a.Pos.Y)+float64(a.Radius)*sin)
	}
	x, y := at(a.Start)
	if p.data.Len() == 0 {
		p.move(x, y)
	} else if x != p.x || y != p.y {
		p.line(x, y)
	}
	sweep := 1
	if (a.Angle > 0) == (s.a*s.d-s.b*s.c < 0) { // the page's y grows downwards
		sweep = 0
	}
	radius := decimal(math.Round(100 * float64(a.Radius) * s.scale()))
	n := int(math.Ceil(math.Abs(a.Angle)/math.Pi - 1e-9))
	for i := 1; i <= n; i++ {
		x, y := at(a.Start + a.Angle*float64(i)/float64(n))
		// The flags are digits, not numbers, so they are written unchanged.
		fmt.Fprintf(&p.data, "a%s %s 0 0 %d %s %s", radius, radius, sweep, decimal(x-p.x), decimal(y-p.y))
		p.command = 'a'
		p.x, p.y = x, y
	}
	p.command = 'A' // the next line is written with its letter
}
