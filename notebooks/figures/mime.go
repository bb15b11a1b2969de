package figures

// The MIME types under which a notebook keeps the numbers behind a figure and behind a table or comparison. The content is a
// string that holds JSON: the types of a nested value would have to be known to the kernel.
const (
	ChartMIME = "application/vnd.dplab.chart+json"
	TableMIME = "application/vnd.dplab.table+json"
)
