package interval

import (
	"testing"

	"github.com/dplab/dplab/accounting/internal/emulated"
)

// The tests of this package also pass on arm64, whose Exp and whose fused products differ.
func TestArm64(t *testing.T) {
	emulated.Arm64(t, "-test.short", "-test.v")
}
