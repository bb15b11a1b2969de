package jupyter

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"sync"
)

// Connection is the address of a kernel and the key that signs its messages.
type Connection struct {
	Transport       string `json:"transport"`
	IP              string `json:"ip"`
	ShellPort       int    `json:"shell_port"`
	ControlPort     int    `json:"control_port"`
	IOPubPort       int    `json:"iopub_port"`
	StdinPort       int    `json:"stdin_port"`
	HeartbeatPort   int    `json:"hb_port"`
	SignatureScheme string `json:"signature_scheme"`
	Key             string `json:"key"`
}

// NewConnection returns a connection on the loopback address with five free ports and a random key
// of 32 bytes. Another program may take a port before the kernel does. So if a kernel ends at once,
// try again with new ports.
func NewConnection() (Connection, error) {
	ports, err := freePorts(5)
	if err != nil {
		return Connection{}, err
	}
	key := make([]byte, 32)
	rand.Read(key) // never fails: crypto/rand ends the program instead
	return Connection{
		Transport: "tcp", IP: "127.0.0.1",
		ShellPort: ports[0], ControlPort: ports[1], IOPubPort: ports[2], StdinPort: ports[3], HeartbeatPort: ports[4],
		SignatureScheme: "hmac-sha256", Key: hex.EncodeToString(key),
	}, nil
}

// WriteFile writes the connection file, readable by its owner only.
func (c Connection) WriteFile(path string) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("jupyter: connection file: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("jupyter: connection file: %w", err)
	}
	_, err = f.Write(data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("jupyter: connection file: %w", err)
	}
	return nil
}

// ReadConnection reads a connection file that another program has written.
func ReadConnection(path string) (c Connection, err error) {
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil {
		return c, fmt.Errorf("jupyter: connection file: %w", err)
	}
	if c.Transport != "tcp" || c.SignatureScheme != "hmac-sha256" {
		return c, fmt.Errorf("jupyter: connection file %s: transport %q, signature_scheme %q: must be tcp and hmac-sha256", path, c.Transport, c.SignatureScheme)
	}
	return c, nil
}

// Endpoint returns the address of a port for ZeroMQ.
func (c Connection) Endpoint(port int) string {
	return fmt.Sprintf("%s://%s:%d", c.Transport, c.IP, port)
}

// given holds the ports that this process has handed out. Two kernels that start at the same time
// never get the same port.
var given = struct {
	sync.Mutex
	ports map[int]bool
}{ports: map[int]bool{}}

func freePorts(n int) ([]int, error) {
	given.Lock()
	defer given.Unlock()
	var ports []int
	for tries := 0; len(ports) < n && tries < 100*n; tries++ {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("jupyter: no free port on the loopback address: %w", err)
		}
		defer l.Close() // held until all are found, so all differ
		if port := l.Addr().(*net.TCPAddr).Port; !given.ports[port] {
			given.ports[port] = true
			ports = append(ports, port)
		}
	}
	if len(ports) < n {
		return nil, fmt.Errorf("jupyter: found only %d of %d free ports on the loopback address", len(ports), n)
	}
	return ports, nil
}

// Signer signs and verifies messages with a shared key. An empty key turns signing off.
type Signer struct {
	Key []byte
}

// Sign returns the HMAC-SHA256 of the parts, in lower-case hexadecimal. The order is header, parent
// header, metadata, content. If the key is empty, it returns the empty string.
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

// Verify reports whether signature is that of the parts. Its time does not depend on where they
// differ.
func (s Signer) Verify(signature string, parts ...[]byte) bool {
	return hmac.Equal([]byte(signature), []byte(s.Sign(parts...)))
}
