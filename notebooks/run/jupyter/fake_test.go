package jupyter

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/go-zeromq/zmq4"
)

// fakeKernel speaks the kernel's side of the protocol. A cell's code says what it does.
type fakeKernel struct {
	t         *testing.T
	conn      Connection
	signer    Signer
	shell     zmq4.Socket
	control   zmq4.Socket
	iopub     zmq4.Socket
	sending   sync.Mutex
	interrupt chan struct{}
	shutdown  chan struct{}
	count     int
}

func startFake(t *testing.T) *fakeKernel {
	t.Helper()
	conn, err := NewConnection()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	f := &fakeKernel{t: t, conn: conn, signer: Signer{Key: []byte(conn.Key)},
		shell: zmq4.NewRouter(ctx), control: zmq4.NewRouter(ctx), iopub: zmq4.NewPub(ctx),
		interrupt: make(chan struct{}, 1), shutdown: make(chan struct{})}
	for socket, port := range map[zmq4.Socket]int{f.shell: conn.ShellPort, f.control: conn.ControlPort, f.iopub: conn.IOPubPort} {
		if err := socket.Listen(conn.Endpoint(port)); err != nil {
			t.Fatal(err)
		}
	}
	var served sync.WaitGroup
	served.Go(func() { f.serve(f.shell) })
	served.Go(func() { f.serve(f.control) })
	t.Cleanup(func() {
		cancel()
		f.stop()
		served.Wait()
	})
	return f
}

func (f *fakeKernel) stop() {
	for _, socket := range []zmq4.Socket{f.shell, f.control, f.iopub} {
		socket.Close()
	}
}

func (f *fakeKernel) serve(socket zmq4.Socket) {
	for {
		raw, err := socket.Recv()
		if err != nil {
			return
		}
		m, err := f.signer.Decode(raw.Frames)
		if err != nil {
			f.t.Errorf("the kernel got a bad message: %v", err)
			return
		}
		switch m.Header.Type {
		case "kernel_info_request":
			f.status(m, "busy")
			f.send(f.shell, m, "kernel_info_reply", map[string]any{"status": "ok"})
			f.status(m, "idle")
		case "execute_request":
			go f.execute(m)
		case "interrupt_request":
			f.interrupt <- struct{}{}
			f.send(f.control, m, "interrupt_reply", map[string]any{"status": "ok"})
		case "shutdown_request":
			close(f.shutdown)
		}
	}
}

func (f *fakeKernel) execute(m Message) {
	var request struct {
		Code  string `json:"code"`
		Count bool   `json:"store_history"`
	}
	if err := json.Unmarshal(m.Content, &request); err != nil {
		f.t.Errorf("execute_request: %v", err)
	}
	if request.Count {
		f.count++
	}
	f.status(m, "busy")
	reply := map[string]any{"status": "ok", "execution_count": f.count}
	switch request.Code {
	case "print":
		for _, text := range []string{"one ", "two ", "three"} {
			f.send(f.iopub, m, "stream", map[string]any{"name": "stdout", "text": text})
		}
	case "fail":
		reply = map[string]any{"status": "error", "ename": "ERROR", "evalue": "no such thing", "traceback": []string{"a", "b"}}
	case "hang":
		<-f.interrupt
		reply = map[string]any{"status": "error", "ename": "ERROR", "evalue": "interrupted"}
	case "forged":
		other := Signer{Key: []byte("another key")}
		frames, _ := other.Encode(Message{Header: Header{Type: "stream"}, Parent: m.Header, Content: json.RawMessage(`{"text":"forged"}`)})
		f.iopub.SendMulti(zmq4.NewMsgFrom(frames...))
	case "die":
		f.stop()
		return
	}
	f.send(f.shell, m, "execute_reply", reply)
	f.status(m, "idle")
	f.send(f.iopub, m, "stream", map[string]any{"name": "stdout", "text": " late"})
}

func (f *fakeKernel) status(parent Message, state string) {
	f.send(f.iopub, parent, "status", map[string]any{"execution_state": state})
}

func (f *fakeKernel) send(socket zmq4.Socket, parent Message, kind string, content any) {
	f.sending.Lock()
	defer f.sending.Unlock()
	data, err := json.Marshal(content)
	if err != nil {
		f.t.Errorf("%s: %v", kind, err)
	}
	frames, err := f.signer.Encode(Message{Identities: parent.Identities, Header: Header{ID: newID(), Type: kind}, Parent: parent.Header, Content: data})
	if err != nil {
		f.t.Errorf("%s: %v", kind, err)
	}
	_ = socket.SendMulti(zmq4.NewMsgFrom(frames...)) // fails only after the client has gone
}
