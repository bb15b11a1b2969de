package render

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"html"

	"github.com/dplab/dplab/accounting/chart"
)

// withProperties returns a PNG image with the title and what made the figure in it, as international text (PNG
// specification, 3rd edition, 11.3.3.4), and with its resolution. A figure that does not say what made it stays as it is.
func withProperties(image []byte, f chart.Figure) []byte {
	title, made := properties(f)
	if made == "" {
		return image
	}
	perMetre := make([]byte, 9)
	dots := float64(printDPI) / 0.0254
	binary.BigEndian.PutUint32(perMetre, uint32(dots+0.5))
	binary.BigEndian.PutUint32(perMetre[4:], uint32(dots+0.5))
	perMetre[8] = 1                   // the unit is the metre
	const header = 8 + 4 + 4 + 13 + 4 // the signature and the chunk IHDR
	out := bytes.NewBuffer(bytes.Clone(image[:header]))
	out.Write(chunk("pHYs", perMetre))
	for _, property := range [][2]string{{"Title", title}, {"Description", made}} {
		out.Write(chunk("iTXt", []byte(property[0]+"\x00\x00\x00\x00\x00"+property[1])))
	}
	out.Write(image[header:])
	return out.Bytes()
}

// chunk returns one chunk of a PNG file.
func chunk(name string, data []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out = append(append(out, name...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// describedSVG returns an SVG document with the title and what made the figure in it.
func describedSVG(doc []byte, f chart.Figure) []byte {
	title, made := properties(f)
	start := bytes.Index(doc, []byte("<svg"))
	if made == "" || start < 0 {
		return doc
	}
	end := start + bytes.IndexByte(doc[start:], '>') + 1
	text := "\n<title>" + html.EscapeString(title) + "</title><desc>" + html.EscapeString(made) + "</desc>"
	return append(append(bytes.Clone(doc[:end]), text...), doc[end:]...)
}
