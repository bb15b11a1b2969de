package jupyter

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// The signature is HMAC-SHA256 over the four parts in order. Wanted values come from outside.
func TestSign(t *testing.T) {
	tests := []struct {
		name, key string
		parts     []string
		want, src string
	}{
		{"RFC 4231", "Jefe", []string{"what do ya ", "want ", "for ", "nothing?"},
			"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", "RFC 4231, section 4.3 (test case 2), cut into four parts"},
		{"message", "a0436f6c-1916-498b-8eb9-e81ab9368e84", []string{`{"msg_id":"1"}`, `{}`, `{}`, `{"code":"1"}`},
			"1250107cff6f1bdb5b6ddeba9540671bea80b06273bd38a1201cc930c9364af6", "Python 3.11, hmac.new(key, parts, hashlib.sha256).hexdigest()"},
		{"no key", "", []string{"a", "b", "c", "d"}, "", "Jupyter messaging protocol 5.3: an empty key turns signing off"},
	}
	for _, test := range tests {
		parts := make([][]byte, len(test.parts))
		for i, p := range test.parts {
			parts[i] = []byte(p)
		}
		signer := Signer{Key: []byte(test.key)}
		if got := signer.Sign(parts...); got != test.want {
			t.Errorf("%s: signature %q, want %q (%s)", test.name, got, test.want, test.src)
		}
		if !signer.Verify(test.want, parts...) {
			t.Errorf("%s: the right signature is refused", test.name)
		}
		if test.key != "" && signer.Verify(test.want, parts[1], parts[0], parts[2], parts[3]) {
			t.Errorf("%s: the signature of other parts is taken", test.name)
		}
	}
}

func sample() Message {
	return Message{
		Identities: [][]byte{[]byte("client")},
		Header:     Header{ID: "1", Session: "s", Username: "u", Date: "2026-11-21T00:00:00Z", Type: "execute_request", Version: ProtocolVersion},
		Parent:     Header{ID: "0"},
		Metadata:   json.RawMessage(`{}`),
		Content:    json.RawMessage(`{"code":"ε"}`),
		Buffers:    [][]byte{{1, 2}},
	}
}

func TestEncodeDecode(t *testing.T) {
	signer := Signer{Key: []byte("key")}
	frames, err := signer.Encode(sample())
	if err != nil {
		t.Fatal(err)
	}
	// The order of the frames is that of the protocol's section "The wire protocol".
	if len(frames) != 8 || string(frames[1]) != "<IDS|MSG>" || string(frames[6]) != `{"code":"ε"}` {
		t.Fatalf("frames %q: want identity, delimiter, signature, header, parent, metadata, content, buffer", frames)
	}
	back, err := signer.Decode(frames)
	if err != nil {
		t.Fatal(err)
	}
	back.rawHeader, back.rawParent = nil, nil
	if !reflect.DeepEqual(back, sample()) {
		t.Errorf("came back as %+v, want %+v", back, sample())
	}
}

// Who passes a message on, signed with another key, keeps what its header says beyond Header. An
// answer names the request.
func TestPassOn(t *testing.T) {
	from, to := Signer{Key: []byte("key")}, Signer{Key: []byte("other")}
	header := []byte(`{"msg_id":"1", "session":"s","msg_type":"execute_request","subshell_id":"x"}`)
	parts := [][]byte{header, []byte("{}"), []byte("{}"), []byte(`{"code":"1"}`)}
	m, err := from.Decode(append([][]byte{[]byte("client"), delimiter, []byte(from.Sign(parts...))}, parts...))
	if err != nil {
		t.Fatal(err)
	}
	frames, err := to.Encode(m)
	if err != nil || string(frames[3]) != string(header) || !to.Verify(string(frames[2]), frames[3:7]...) {
		t.Errorf("passed on as %q, %v", frames, err)
	}
	answer, err := Answer(m, "execute_reply", map[string]string{"status": "ok"})
	if err != nil {
		t.Fatal(err)
	}
	frames, err = to.Encode(answer)
	if err != nil || string(frames[0]) != "client" || string(frames[4]) != string(header) || string(frames[6]) != `{"status":"ok"}` || answer.Header.Type != "execute_reply" || answer.Header.Session != "s" {
		t.Errorf("answer %q, %v", frames, err)
	}
}

// A connection file comes back as it was written; one of another transport is refused.
func TestReadConnection(t *testing.T) {
	conn, err := NewConnection()
	if err != nil {
		t.Fatal(err)
	}
	for _, transport := range []string{"tcp", "ipc"} {
		conn.Transport = transport
		path := filepath.Join(t.TempDir(), "kernel-1.json")
		if err := conn.WriteFile(path); err != nil {
			t.Fatal(err)
		}
		back, err := ReadConnection(path)
		if back != conn || (err == nil) != (transport == "tcp") || err != nil && !strings.Contains(err.Error(), `transport "ipc"`) {
			t.Errorf("%s: came back as %+v, %v", transport, back, err)
		}
	}
	if _, err := ReadConnection(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there is no error")
	}
}

func TestEncodeNoParent(t *testing.T) {
	m := sample()
	m.Parent, m.Metadata, m.Content = Header{}, nil, nil
	frames, err := Signer{}.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{4, 5, 6} {
		if string(frames[i]) != "{}" {
			t.Errorf("frame %d is %q, want {}", i, frames[i])
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	signer := Signer{Key: []byte("key")}
	frames, err := signer.Encode(sample())
	if err != nil {
		t.Fatal(err)
	}
	for i := 2; i <= 6; i++ { // signature and the four signed parts
		forged := append([][]byte{}, frames...)
		forged[i] = append([]byte(" "), forged[i]...)
		if _, err := signer.Decode(forged); !errors.Is(err, ErrSignature) {
			t.Errorf("frame %d changed: error %v, want ErrSignature", i, err)
		}
	}
	for _, bad := range [][][]byte{nil, frames[:5], frames[2:], {delimiter}} {
		if _, err := signer.Decode(bad); err == nil || !strings.Contains(err.Error(), "must have") {
			t.Errorf("%d frames: error %v, want one about the frames", len(bad), err)
		}
	}
}
