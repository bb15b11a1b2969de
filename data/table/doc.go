// Package table reads your own CSV file into a [data.Dataset]. A [Schema] declares the columns
// beforehand.
//
// Numbers are clipped to public bounds and scaled by them. Words are among declared values. Of a
// text, the words of a public vocabulary are read. Nothing is taken from the records. The least and
// the largest age in a file, their mean, or the list of towns are facts about its people. A
// guarantee for the training does not cover such facts. So no option computes them. Bounds that are
// too wide cost some accuracy, bounds that are too narrow clip; neither costs privacy.
//
//	schema := table.Schema{
//		Features: []table.Feature{
//			table.Number{Column: "age", Low: 0, High: 100},
//			table.Number{Column: "income", Low: 1e3, High: 1e6, Log: true},
//			table.Category{Column: "sector", Values: []string{"private", "public"}, Other: true},
//		},
//		Target: table.Classes{Column: "vote", Values: []string{"no", "yes"}},
//		Ignore: []string{"name"},
//	}
//	people, err := schema.Load("people.csv")
//	fingerprint := people.Fingerprint()
//	rng := root.Bound(fingerprint[:]).Rand("split") // root is one of package streams
//	train, validation, err := data.SplitCoins(people, 0.2, rng)
//
// A target is one of several classes ([Classes]), a real number ([Real]) or several labels at once
// ([Labels]). One line of the file is one record, the unit that differential privacy protects. If a
// person has several lines, it protects each of them, and the person less.
//
// Errors name file, line, column and rule, and quote the field: do not publish them. Spaces around
// a field are ignored. A number is in decimal digits, never 1_000, 0x1e or inf. A word is UTF-8.
//
// Files of pandas are read as they are. "" in Schema.Ignore ignores a column without a name: the
// index of pandas, or what a comma at the end of each line makes. 1.0 and True count as a declared
// "1", 0.0 and False as a declared "0". A missing value is an empty field; Schema.Missing has other
// words for it, such as R's NA. MarkMissing of a column makes a feature of it.
//
// The file is read line by line, and only the data set itself is in memory.
package table
