package twin

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
)

// key is a root of package streams, from its comments.
type key [32]byte

func fixedRoot(name string) key { return sha256.Sum256([]byte("dplab fixed root\x00" + name)) }

func (k key) derive(kind, label string) [32]byte {
	return sha256.Sum256([]byte(string(k[:]) + kind + "\x00" + label))
}

func (k key) child(label string) key { return k.derive("child", label) }

func (k key) stream(label string) *rand.Rand {
	return rand.New(rand.NewChaCha8(k.derive("stream", label)))
}

// normals returns the noise of a step, of standard deviation 1, from AES-256 or ChaCha20.
func (k key) normals(step, n int, chacha bool) []float64 {
	pairs, label := (n+1)/2, fmt.Sprintf("step %d", step)
	words := make([]uint32, 3*pairs)
	if chacha {
		chacha20(k.child("noise").derive("key", label), words)
	} else {
		aes256(k.child("noise").derive("words", label), words)
	}
	out := make([]float64, 2*pairs)
	for i := range pairs {
		out[i], out[pairs+i] = boxMuller(words[i], words[pairs+i], words[2*pairs+i])
	}
	return out[:n]
}

// boxMuller is the transform of the comment of package noise.
func boxMuller(h, l, a uint32) (x, y float64) {
	uniform := func(h, l uint32) float64 { return float64(h)*0x1p-32 + (float64(l>>1)+0.5)*0x1p-63 }
	logarithm := math.Log(uniform(h, l))
	if h >= 1<<31 { // 1 - u has more digits
		logarithm = math.Log1p(-uniform(^h, ^l))
	}
	r, phi := math.Sqrt(-2*logarithm), (float64(a&(1<<29-1))+0.5)*0x1p-29*math.Pi/4
	x, y = r*math.Sin(phi), r*math.Cos(phi)
	if a>>29&1 == 1 {
		x, y = y, x
	}
	return x * float64(1-2*int(a>>31)), y * float64(1-2*int(a>>30&1))
}

func aes256(key [32]byte, words []uint32) {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err)
	}
	bytes := make([]byte, 4*len(words))
	cipher.NewCTR(block, make([]byte, aes.BlockSize)).XORKeyStream(bytes, bytes)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(bytes[4*i:])
	}
}

// chacha20 is RFC 8439, section 2.3. The stream has all first words of its blocks, then all second words, and so on.
func chacha20(key [32]byte, words []uint32) {
	blocks := (len(words) + 15) / 16
	for b := range blocks {
		start := [16]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, 12: uint32(b)}
		for i := range 8 {
			start[4+i] = binary.LittleEndian.Uint32(key[4*i:])
		}
		x := start
		quarter := func(a, b, c, d int) {
			add := func(to, from, turned, by int) {
				x[to] += x[from]
				x[turned] = bits.RotateLeft32(x[turned]^x[to], by)
			}
			add(a, b, d, 16)
			add(c, d, b, 12)
			add(a, b, d, 8)
			add(c, d, b, 7)
		}
		for range 10 {
			for i := range 4 {
				quarter(i, 4+i, 8+i, 12+i)
			}
			for i := range 4 {
				quarter(i, 4+(i+1)%4, 8+(i+2)%4, 12+(i+3)%4)
			}
		}
		for i := range x {
			if at := i*blocks + b; at < len(words) {
				words[at] = x[i] + start[i]
			}
		}
	}
}
