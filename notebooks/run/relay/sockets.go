package relay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"

	"github.com/dplab/dplab/notebooks/run/jupyter"
)

// side has the sockets towards JupyterLab, or towards the kernel.
type side struct {
	signer                       jupyter.Signer
	shell, control, stdin, iopub zmq4.Socket
	heartbeat                    zmq4.Socket // only towards JupyterLab
	sending                      sync.Mutex
	cancel                       context.CancelFunc
}

// quiet returns options for all sockets: their logs are not useful here.
func quiet() []zmq4.Option {
	return []zmq4.Option{zmq4.WithLogger(log.New(io.Discard, "", 0)), zmq4.WithTimeout(30 * time.Second)}
}

// listen takes the kernel's place at the ports that JupyterLab has chosen.
func listen(ctx context.Context, conn jupyter.Connection) (*side, error) {
	ctx, cancel := context.WithCancel(ctx)
	s := &side{
		signer: jupyter.Signer{Key: []byte(conn.Key)}, cancel: cancel,
		shell: zmq4.NewRouter(ctx, quiet()...), control: zmq4.NewRouter(ctx, quiet()...), stdin: zmq4.NewRouter(ctx, quiet()...),
		iopub: zmq4.NewPub(ctx, quiet()...), heartbeat: zmq4.NewRep(ctx, quiet()...),
	}
	err := errors.Join(
		s.iopub.Listen(conn.Endpoint(conn.IOPubPort)), // first, because a receiver of a reply must also receive what is published
		s.heartbeat.Listen(conn.Endpoint(conn.HeartbeatPort)),
		s.stdin.Listen(conn.Endpoint(conn.StdinPort)),
		s.control.Listen(conn.Endpoint(conn.ControlPort)),
		s.shell.Listen(conn.Endpoint(conn.ShellPort)))
	if err != nil {
		s.close()
		return nil, fmt.Errorf("relay: a port that JupyterLab has chosen is in use: %w", err)
	}
	return s, nil
}

// dial takes JupyterLab's place at the kernel. All sockets have one identity. GoNB answers control
// requests on the shell socket, and asks for input on the stdin socket, by the identity of the
// request.
func dial(ctx context.Context, conn jupyter.Connection) (*side, error) {
	ctx, cancel := context.WithCancel(ctx)
	retry := append(quiet(), zmq4.WithDialerRetry(20*time.Millisecond), zmq4.WithDialerMaxRetries(-1))
	asking := append([]zmq4.Option{zmq4.WithID(zmq4.SocketIdentity("relay"))}, retry...)
	s := &side{
		signer: jupyter.Signer{Key: []byte(conn.Key)}, cancel: cancel,
		shell: zmq4.NewDealer(ctx, asking...), control: zmq4.NewDealer(ctx, asking...), stdin: zmq4.NewDealer(ctx, asking...),
		iopub: zmq4.NewSub(ctx, retry...),
	}
	err := errors.Join(
		s.iopub.SetOption(zmq4.OptionSubscribe, ""),
		s.iopub.Dial(conn.Endpoint(conn.IOPubPort)),
		s.stdin.Dial(conn.Endpoint(conn.StdinPort)),
		s.control.Dial(conn.Endpoint(conn.ControlPort)),
		s.shell.Dial(conn.Endpoint(conn.ShellPort)))
	if err != nil {
		s.close()
		return nil, fmt.Errorf("relay: cannot connect to the kernel: %w", err)
	}
	return s, nil
}

// read passes the messages that arrive at a socket to take, in order, until the socket is closed.
func (s *side) read(socket zmq4.Socket, take func(jupyter.Message)) {
	go func() {
		for {
			raw, err := socket.Recv()
			if err != nil {
				return
			}
			if m, err := s.signer.Decode(raw.Frames); err == nil { // drops messages without a valid signature
				take(m)
			}
		}
	}()
}

// send signs a message and sends it. A receiver that has gone misses it.
func (s *side) send(socket zmq4.Socket, m jupyter.Message) {
	frames, err := s.signer.Encode(m)
	if err != nil {
		return
	}
	s.sending.Lock()
	defer s.sending.Unlock()
	_ = socket.SendMulti(zmq4.NewMsgFrom(frames...))
}

// echo answers JupyterLab's heartbeat.
func (s *side) echo() {
	go func() {
		for {
			m, err := s.heartbeat.Recv()
			if err != nil || s.heartbeat.Send(m) != nil {
				return
			}
		}
	}()
}

func (s *side) close() {
	s.cancel()
	for _, socket := range []zmq4.Socket{s.shell, s.control, s.stdin, s.iopub, s.heartbeat} {
		if socket != nil {
			_ = socket.Close() // nothing can be lost any more
		}
	}
}
