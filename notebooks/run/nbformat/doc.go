// Package nbformat reads and writes Jupyter notebooks of format 4.5.
//
// What the package does not know (metadata of other tools, attachments, new fields) is kept as it was
// read. Files are written as Jupyter writes them, sorted keys and an indent of one space, so that a
// notebook that was executed again differs only where its outputs do. Formats 4.0 to 4.4 are read and brought to
// 4.5, which adds an id to each cell. What is left out on purpose: format 3 and older.
//
// Reference: "The Jupyter Notebook Format" and nbformat's JSON schema, version 4.5.
package nbformat
