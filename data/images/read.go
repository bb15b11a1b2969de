package images

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"

	"github.com/dplab/dplab/data"
)

const (
	maxNumbers = 1 << 31 // of all images together: 8 GiB
	maxPixels  = 1 << 26 // of one image
	maxFile    = 1 << 28 // bytes of one file

	pngStart  = "\x89PNG\r\n\x1a\n"
	jpegStart = "\xff\xd8\xff"
)

// reader reads images of one size. What is 0 is set by the first image.
type reader struct {
	height, width, channels int

	convert bool // whether images of other channels are converted
	resize  bool // whether images of other sizes are resized
	images  int  // how many there will be
}

// add adds an image to the features.
func (r *reader) add(d *data.Dataset, path string) error {
	raw, err := content(path)
	if err != nil {
		return err
	}
	config, decode := png.DecodeConfig, png.Decode
	switch {
	case bytes.HasPrefix(raw, []byte(pngStart)):
		if animated(raw) {
			return errors.New("is an animated PNG: must be one image")
		}
	case bytes.HasPrefix(raw, []byte(jpegStart)):
		config, decode = jpeg.DecodeConfig, jpeg.Decode
	default:
		return errors.New("must be a PNG or JPEG image (or its name in Folder.Ignore)")
	}
	about, err := config(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	if err := r.accept(about); err != nil {
		return err
	}
	decoded, err := decode(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	picture := decoded.(image.RGBA64Image) // as all images of the two decoders
	if x, y, found := transparent(picture); found {
		return fmt.Errorf("the pixel in row %d, column %d is transparent: must be opaque (put the image on a background)", y, x)
	}
	if d.Features == nil {
		d.Features = make([]float32, 0, r.images*r.height*r.width*r.channels)
	}
	d.Features = appendResized(d.Features, picture, r.height, r.width, r.channels)
	return nil
}

// content returns the bytes of a regular file.
func content(path string) ([]byte, error) {
	about, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !about.Mode().IsRegular():
		return nil, errors.New("must be a file")
	case about.Size() > maxFile:
		return nil, fmt.Errorf("%d bytes: must be at most %d", about.Size(), maxFile)
	}
	return os.ReadFile(path)
}

// animated reports whether a PNG has the chunk acTL before its first image.
//
// Reference: W3C, Portable Network Graphics (Third Edition), Section 11.3.6.
func animated(raw []byte) bool {
	for at := len(pngStart); at+8 <= len(raw); {
		length, name := binary.BigEndian.Uint32(raw[at:]), string(raw[at+4:at+8])
		if name == "acTL" || name == "IDAT" {
			return name == "acTL"
		}
		const around = 12 // length, name and checksum
		if uint64(length) > uint64(len(raw)) {
			return false
		}
		at += around + int(length)
	}
	return false
}

// accept returns an error unless an image has the size and channels that r has, or may have them
// converted. It sets what r does not have yet. The image is not decoded before.
func (r *reader) accept(about image.Config) error {
	channels := 3
	switch about.ColorModel {
	case color.GrayModel, color.Gray16Model:
		channels = 1
	case color.CMYKModel:
		return errors.New("is in CMYK: must be gray or RGB")
	}
	if r.height == 0 {
		r.height, r.width = about.Height, about.Width
	}
	if r.channels == 0 {
		r.channels = channels
	}
	all := float64(r.images) * float64(r.height) * float64(r.width) * float64(r.channels)
	switch {
	case about.Height < 1 || about.Width < 1:
		return fmt.Errorf("%d rows, %d columns: must have a pixel", about.Height, about.Width)
	case !r.resize && (about.Height != r.height || about.Width != r.width):
		return fmt.Errorf("%d rows, %d columns: must be %d, %d, as declared or as the first image (or set Folder.Resize, which resizes each by itself)", about.Height, about.Width, r.height, r.width)
	case channels != r.channels && !r.convert:
		return fmt.Errorf("%d channels: must be %d, as the first image (or give Folder.Channels, which converts)", channels, r.channels)
	case about.Height*about.Width > maxPixels:
		return fmt.Errorf("%d rows, %d columns: must be at most %d pixels", about.Height, about.Width, maxPixels)
	case all > maxNumbers:
		return fmt.Errorf("%d images of %d rows, %d columns, %d channels: must be at most %d numbers", r.images, r.height, r.width, r.channels, maxNumbers)
	}
	return nil
}

// transparent returns the first pixel that is not opaque.
func transparent(picture image.RGBA64Image) (x, y int, found bool) {
	if whole, ok := picture.(interface{ Opaque() bool }); ok && whole.Opaque() {
		return 0, 0, false
	}
	box := picture.Bounds()
	for y := range box.Dy() {
		for x := range box.Dx() {
			if picture.RGBA64At(box.Min.X+x, box.Min.Y+y).A < 0xffff {
				return x, y, true
			}
		}
	}
	return 0, 0, false
}

// appendRow adds the numbers of row y of an opaque image, counted from 0.
func appendRow(features []float32, picture image.RGBA64Image, y, channels int) []float32 {
	box := picture.Bounds()
	for x := box.Min.X; x < box.Max.X; x++ {
		p := picture.RGBA64At(x, box.Min.Y+y) // of 65535: a byte v is 257 v
		switch {
		case channels == 3:
			features = append(features, float32(p.R)/65535, float32(p.G)/65535, float32(p.B)/65535)
		case p.R == p.G && p.G == p.B:
			features = append(features, float32(p.R)/65535)
		default:
			features = append(features, float32((0.299*float64(p.R)+0.587*float64(p.G)+0.114*float64(p.B))/65535))
		}
	}
	return features
}
