package jupyter

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// Signer signs and verifies messages with a shared key. An empty key turns signing off.
type Signer struct {
	Key []byte
}

// Sign returns the lower-case hexadecimal HMAC-SHA256 of the parts, in the order header, parent header,
// metadata, content; the empty string if the key is empty.
func (s Signer) Sign(parts ...[]byte) string {
	if len(s.Key) == 0 {
		return ""
	}
	mac := hmac.New(sha256.New, s.Key)
	for _, part := range parts {
		mac.Write(part)
	}
	return hex.EncodeToString(mac.Sum(nil))
}

// Verify reports whether signature is that of the parts. It takes the same time wherever they differ.
func (s Signer) Verify(signature string, parts ...[]byte) bool {
	return hmac.Equal([]byte(signature), []byte(s.Sign(parts...)))
}
