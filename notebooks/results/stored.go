package results

import "embed"

// Stored holds the files of this folder, as they were when the program was built.
//
//go:embed *.json.gz
var Stored embed.FS
