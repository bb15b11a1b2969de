package noise

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// vectors are test vectors 1 to 4 of RFC 8439, appendix A.1, which have nonce 0.
var vectors = []struct {
	key   [4 * KeyWords]byte
	block int
	bytes string
}{
	{block: 0, bytes: "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"},
	{block: 1, bytes: "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"},
	{key: [32]byte{31: 1}, block: 1, bytes: "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0"},
	{key: [32]byte{1: 0xff}, block: 2, bytes: "72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096"},
}

// vectorBlocks is the number of blocks of each key that covers all vectors.
const vectorBlocks = 3

// CheckChaCha20 returns an error if a backend makes other words than those of RFC 8439.
func CheckChaCha20(backend compute.Backend) error {
	exec, err := graph.NewExec(backend, func(keys *graph.Node) *graph.Node { return ChaCha20(keys, vectorBlocks*blockWords) })
	if err != nil {
		return err
	}
	var keys []uint32
	for _, v := range vectors {
		words := keyWords(v.key)
		keys = append(keys, words[:]...)
	}
	out, err := exec.Call(tensors.FromFlatDataAndDimensions(keys, len(vectors), KeyWords))
	if err != nil {
		return err
	}
	words, err := tensors.CopyFlatData[uint32](out[0])
	if err != nil {
		return err
	}
	return checkVectors(words)
}

// checkVectors compares the streams of the vectors' keys with the vectors.
func checkVectors(words []uint32) error {
	each := vectorBlocks * blockWords
	for k, v := range vectors {
		want, err := hex.DecodeString(v.bytes)
		if err != nil {
			return err
		}
		for i := range blockWords {
			got, want := words[k*each+i*vectorBlocks+v.block], binary.LittleEndian.Uint32(want[4*i:])
			if got != want {
				return fmt.Errorf("ChaCha20: word %d of test vector %d of RFC 8439 is %#08x: must be %#08x", i, k+1, got, want)
			}
		}
	}
	return nil
}
