// Package jupyter speaks the Jupyter messaging protocol, version 5.3, to one kernel over ZeroMQ.
//
//   - Message, Signer: messages and their signed wire form.
//   - Connection: ports and key, and the file that gives them to a kernel.
//   - Client: connects, executes code, interrupts, shuts down.
//
// The kernel listens on the loopback address only. Every message is signed with a random key, which
// only the connection file (mode 0600) holds.
//
// Left out on purpose: the stdin channel (in an unattended run a cell that asks for input is an
// error), comms and widgets, and the heartbeat (the starter of the process sees it end).
//
// Reference: Jupyter client documentation, "Messaging in Jupyter", protocol 5.3.
//
// It promises nothing to other modules.
package jupyter

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"
)

// Client is a connection to one kernel. Its methods may be called from several goroutines; a kernel
// executes one request at a time.
type Client struct {
	signer  Signer
	session string
	shell   zmq4.Socket
	control zmq4.Socket
	iopub   zmq4.Socket
	cancel  context.CancelFunc
	readers sync.WaitGroup

	mu       sync.Mutex // guards what follows, and sending
	failed   error
	requests map[string]*request
}

// request is one message that was sent, and what came back for it.
type request struct {
	publish func(Message)
	reply   chan Message
	idle    chan struct{}
	isIdle  bool
}

// Dial connects to the kernel, waiting for it to listen until ctx is done.
func Dial(ctx context.Context, conn Connection) (*Client, error) {
	life, cancel := context.WithCancel(context.Background())
	session := newID()
	options := []zmq4.Option{
		zmq4.WithDialerRetry(20 * time.Millisecond), zmq4.WithDialerMaxRetries(-1),
		zmq4.WithLogger(log.New(io.Discard, "", 0)), zmq4.WithTimeout(30 * time.Second),
	}
	// GoNB answers control requests on the shell socket, to the identity that asked. So both sockets
	// have the same identity.
	asking := append([]zmq4.Option{zmq4.WithID(zmq4.SocketIdentity(session))}, options...)
	c := &Client{
		signer: Signer{Key: []byte(conn.Key)}, session: session, cancel: cancel,
		shell: zmq4.NewDealer(life, asking...), control: zmq4.NewDealer(life, asking...), iopub: zmq4.NewSub(life, options...),
		requests: map[string]*request{},
	}
	if err := c.connect(ctx, conn); err != nil {
		c.Close()
		return nil, err
	}
	c.readers.Add(3)
	go c.read(c.shell, c.onReply)
	go c.read(c.control, c.onReply)
	go c.read(c.iopub, c.onPublished)
	return c, nil
}

func (c *Client) connect(ctx context.Context, conn Connection) error {
	done := make(chan error, 1)
	go func() {
		done <- errors.Join(
			c.iopub.SetOption(zmq4.OptionSubscribe, ""),
			c.iopub.Dial(conn.Endpoint(conn.IOPubPort)),
			c.shell.Dial(conn.Endpoint(conn.ShellPort)),
			c.control.Dial(conn.Endpoint(conn.ControlPort)))
	}()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("jupyter: cannot connect to the kernel: %w", err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("jupyter: cannot connect to the kernel: %w", context.Cause(ctx))
	}
}

// Close ends the connection. Requests under way return an error.
func (c *Client) Close() {
	c.cancel()
	for _, socket := range []zmq4.Socket{c.shell, c.control, c.iopub} {
		_ = socket.Close() // nothing can be lost any more
	}
	c.fail(errors.New("connection closed"))
	c.readers.Wait()
}

func (c *Client) read(socket zmq4.Socket, handle func(Message)) {
	defer c.readers.Done()
	for {
		raw, err := socket.Recv()
		if err != nil {
			c.fail(err)
			return
		}
		if m, err := c.signer.Decode(raw.Frames); err == nil { // drops messages that are not the kernel's
			handle(m)
		}
	}
}

// fail makes all requests, present and future, return err.
func (c *Client) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil {
		return
	}
	c.failed = fmt.Errorf("jupyter: connection to the kernel lost: %w", err)
	for _, r := range c.requests {
		close(r.reply)
	}
}

func (c *Client) onReply(m Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.requests[m.Parent.ID]; r != nil && c.failed == nil {
		select {
		case r.reply <- m:
		default: // a second reply has nothing new
		}
	}
}

func (c *Client) onPublished(m Message) {
	c.mu.Lock()
	r := c.requests[m.Parent.ID]
	c.mu.Unlock()
	if r == nil {
		return
	}
	if m.Header.Type != "status" {
		r.publish(m)
		return
	}
	var content struct {
		State string `json:"execution_state"`
	}
	if json.Unmarshal(m.Content, &content) == nil && content.State == "idle" && !r.isIdle {
		r.isIdle = true
		close(r.idle)
	}
}

// send registers and sends a request. publish gets what the kernel publishes for it, in order, from
// one goroutine. It may still be called for late output after the request has returned.
func (c *Client) send(socket zmq4.Socket, kind string, content any, publish func(Message)) (*request, error) {
	data, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("jupyter: %s: %w", kind, err)
	}
	m := Message{Header: newHeader(c.session, kind), Content: data}
	frames, err := c.signer.Encode(m)
	if err != nil {
		return nil, err
	}
	r := &request{publish: publish, reply: make(chan Message, 1), idle: make(chan struct{})}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil {
		return nil, c.failed
	}
	c.requests[m.Header.ID] = r
	if err := socket.SendMulti(zmq4.NewMsgFrom(frames...)); err != nil {
		return nil, fmt.Errorf("jupyter: cannot send %s: %w", kind, err)
	}
	return r, nil
}

func newID() string {
	b := make([]byte, 16)
	rand.Read(b)
	return hex.EncodeToString(b)
}
