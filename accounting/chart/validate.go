package chart

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/dplab/dplab/accounting/chart/internal/letters"
)

var fileSafe = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// CheckName returns an error unless name is suitable for a file: lower-case letters, digits and
// single hyphens, at most 100 characters. The error begins with what.
func CheckName(what, name string) error {
	if len(name) > 100 || !fileSafe.MatchString(name) {
		return fmt.Errorf("%s name %q: must be lower-case letters, digits and single hyphens", what, name)
	}
	return nil
}

// Validate returns every fault that keeps the chart from being drawn.
func (c Chart) Validate() error {
	errs := []error{CheckName("chart", c.Name)}
	if c.Name == "" {
		errs[0] = errors.New(`chart name "": must be given; chart.New makes it from the title`)
	}
	add := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("chart %s: "+format, append([]any{c.Name}, args...)...))
	}
	if len(c.Curves) == 0 {
		add("must have a curve")
	}
	if c.XLabel == "" || c.YLabel == "" {
		add("both axes must have a label")
	}
	checkRange := func(axis string, low, high float64, log bool) {
		switch {
		case low == 0 && high == 0:
		case !(low < high) || math.Max(-low, high) > 1e300:
			add("%s range [%g, %g]: must be increasing and within ±1e300", axis, low, high)
		case log && low <= 0:
			add("%s range [%g, %g]: must be > 0 on a log axis", axis, low, high)
		}
	}
	checkRange("x", c.XMin, c.XMax, c.XLog)
	checkRange("y", c.YMin, c.YMax, c.YLog)
	checkRange("right", c.RightMin, c.RightMax, c.RightLog)
	if err := c.validateRight(); err != nil {
		add("%w", err)
	}
	checkRange("color", c.ZMin, c.ZMax, false)
	if err := c.validateCells(); err != nil {
		add("%w", err)
	}
	if c.XLog && len(c.XNames) > 0 {
		add("x axis with names: must be linear")
	}
	for _, text := range slices.Concat([]string{c.Title, c.XLabel, c.YLabel, c.RightLabel, c.ZLabel}, c.XNames, c.Notes, c.Sources) {
		if err := letters.Check("text", text); err != nil {
			add("%w", err)
		}
	}
	for i, k := range c.Curves {
		if err := k.validate(); err != nil {
			add("curve %d (%q): %w", i+1, k.Label, err)
		}
	}
	return errors.Join(errs...)
}

// validateRight returns an error unless the chart has a right axis if curves need one, next to a
// left one.
func (c Chart) validateRight() error {
	rights := 0
	for _, k := range c.Curves {
		if k.Right {
			rights++
		}
	}
	switch {
	case rights == 0 && (c.RightLabel != "" || c.RightLog || c.RightMin != 0 || c.RightMax != 0):
		return errors.New("right axis: must be without label, ends and log, as no curve is Right")
	case rights == 0:
		return nil
	case c.RightLabel == "":
		return errors.New("right axis must have a label (RightLabel)")
	case rights == len(c.Curves):
		return errors.New("all curves are Right: one must belong to the left axis")
	case c.hasCells():
		return errors.New("right axis: must not be next to the color bar of cells")
	}
	return nil
}

func (k Curve) validate() error {
	switch {
	case len(k.X) == 0:
		return errors.New("must have a point")
	case len(k.Y) != len(k.X):
		return fmt.Errorf("has %d x and %d y: must be equal", len(k.X), len(k.Y))
	case len(k.Low) != len(k.High):
		return fmt.Errorf("has %d low and %d high: must be equal", len(k.Low), len(k.High))
	case len(k.Low) != 0 && len(k.Low) != len(k.X):
		return fmt.Errorf("has %d x and %d low: must be equal, or low empty", len(k.X), len(k.Low))
	case k.Kind < 0 || int(k.Kind) >= len(kindNames):
		return fmt.Errorf("kind %d: must be Line, Step, Points, Bars, Boxes or Cells", int(k.Kind))
	case k.Kind == Boxes && len(k.Low) == 0:
		return errors.New("boxes: must have low and high")
	case k.Kind == Cells:
		return k.validateCells()
	case len(k.Z) > 0:
		return fmt.Errorf("%d z of a %v: must be none, as only Cells have z", len(k.Z), k.Kind)
	case k.Dodge != 0 && k.Kind != Points:
		return fmt.Errorf("dodge %d of a %v: must be 0, as only Points move", k.Dodge, k.Kind)
	case k.Right && k.Kind != Line && k.Kind != Step && k.Kind != Points:
		return fmt.Errorf("right %v: must be a Line, a Step or Points", k.Kind)
	case k.OnTop && (k.Reference || k.Kind == Bars || len(k.Low) > 0):
		return errors.New("on top: must not be a reference, bars or have a band")
	case k.Small && k.Kind != Points:
		return fmt.Errorf("small %v: must be Points", k.Kind)
	case k.Dodge < -maxDodge || k.Dodge > maxDodge:
		return fmt.Errorf("dodge %d: must be in %d to %d", k.Dodge, -maxDodge, maxDodge)
	case k.Color < 0 || k.Color > PaletteSize:
		return fmt.Errorf("color %d: must be in 0 to %d", k.Color, PaletteSize)
	}
	return letters.Check("label", k.Label)
}

// Validate returns every fault that keeps the panels from being drawn.
func (p Panels) Validate() error {
	errs := []error{CheckName("panels", p.Name)}
	if p.Columns < 0 || p.Columns > 3 {
		errs = append(errs, fmt.Errorf("panels %s: columns %d: must be 0 to 3", p.Name, p.Columns))
	}
	if len(p.Charts) == 0 {
		errs = append(errs, fmt.Errorf("panels %s: must have a chart", p.Name))
	}
	for _, text := range append([]string{p.Title}, append(slices.Clone(p.Notes), p.Sources...)...) {
		if err := letters.Check("text", text); err != nil {
			errs = append(errs, fmt.Errorf("panels %s: %w", p.Name, err))
		}
	}
	for _, c := range p.Charts {
		errs = append(errs, c.Validate())
	}
	return errors.Join(errs...)
}

// PaletteSize is the number of colors that Curve.Color can pick.
const PaletteSize = 8

const maxDodge = 6
