package jupyter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// ProtocolVersion is the version of the messaging protocol that we write in each header.
const ProtocolVersion = "5.3"

// delimiter separates the routing identities from the signature.
var delimiter = []byte("<IDS|MSG>")

// ErrSignature is returned, wrapped, for a message whose signature does not fit the key.
var ErrSignature = errors.New("wrong signature")

// Header identifies one message.
type Header struct {
	ID       string `json:"msg_id"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	Type     string `json:"msg_type"`
	Version  string `json:"version"`
}

// Message is one message of the protocol. Parent is the header of the request that it answers. It
// is the zero Header for a request.
type Message struct {
	Identities [][]byte // routing, or the topic of a published message
	Header     Header
	Parent     Header
	Metadata   json.RawMessage
	Content    json.RawMessage
	Buffers    [][]byte

	rawHeader, rawParent []byte // as received, to keep fields that Header does not know when a message is passed on
}

// Encode returns the frames of m: identities, delimiter, signature, header, parent, metadata,
// content, buffers.
func (s Signer) Encode(m Message) ([][]byte, error) {
	header, err := rawOr(m.rawHeader, m.Header)
	if err != nil {
		return nil, fmt.Errorf("jupyter: header of %s: %w", m.Header.Type, err)
	}
	parent, err := rawOr(m.rawParent, m.Parent)
	if err != nil {
		return nil, fmt.Errorf("jupyter: parent of %s: %w", m.Header.Type, err)
	}
	parts := [][]byte{header, parent, orEmpty(m.Metadata), orEmpty(m.Content)}
	frames := append([][]byte{}, m.Identities...)
	frames = append(frames, delimiter, []byte(s.Sign(parts...)))
	frames = append(frames, parts...)
	return append(frames, m.Buffers...), nil
}

// Decode checks the signature and returns the message. Unsigned messages pass only if the key is
// empty.
func (s Signer) Decode(frames [][]byte) (Message, error) {
	at := -1
	for i, frame := range frames {
		if bytes.Equal(frame, delimiter) {
			at = i
			break
		}
	}
	if at < 0 || len(frames) < at+6 {
		return Message{}, fmt.Errorf("jupyter: message of %d frames: must have a delimiter, a signature and four parts", len(frames))
	}
	parts := frames[at+2 : at+6]
	if !s.Verify(string(frames[at+1]), parts...) {
		return Message{}, fmt.Errorf("jupyter: message of %d frames: %w", len(frames), ErrSignature)
	}
	m := Message{Identities: frames[:at], Metadata: parts[2], Content: parts[3], Buffers: frames[at+6:], rawHeader: parts[0], rawParent: parts[1]}
	if err := json.Unmarshal(parts[0], &m.Header); err != nil {
		return Message{}, fmt.Errorf("jupyter: header: %w", err)
	}
	if err := json.Unmarshal(parts[1], &m.Parent); err != nil {
		return Message{}, fmt.Errorf("jupyter: parent header of %s: %w", m.Header.Type, err)
	}
	return m, nil
}

// Answer returns a message from the kernel's side for a request: a reply, or something to publish.
func Answer(request Message, kind string, content any) (Message, error) {
	data, err := json.Marshal(content)
	if err != nil {
		return Message{}, fmt.Errorf("jupyter: %s: %w", kind, err)
	}
	return Message{Identities: request.Identities, Header: newHeader(request.Header.Session, kind), Parent: request.Header, rawParent: request.rawHeader, Content: data}, nil
}

func newHeader(session, kind string) Header {
	return Header{ID: newID(), Session: session, Username: "dplab", Type: kind, Version: ProtocolVersion,
		Date: time.Now().UTC().Format("2006-01-02T15:04:05.000000Z")}
}

func rawOr(raw []byte, h Header) ([]byte, error) {
	switch {
	case raw != nil:
		return raw, nil
	case h == Header{}:
		return []byte("{}"), nil
	}
	return json.Marshal(h)
}

func orEmpty(raw json.RawMessage) []byte {
	if len(raw) == 0 {
		return []byte("{}")
	}
	return raw
}
