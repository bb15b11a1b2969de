// Package results has the stored results of long trainings, which package experiments writes and
// reads.
//
// It promises nothing to other modules.
package results

import "embed"

// Stored has the files of this folder at the time the program was built.
//
//go:embed *.json.gz
var Stored embed.FS
