package jupyter

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Reply is the kernel's answer to an execute request.
type Reply struct {
	Status         string   `json:"status"` // "ok", "error" or "aborted"
	ExecutionCount int      `json:"execution_count"`
	ErrorName      string   `json:"ename"`
	ErrorValue     string   `json:"evalue"`
	Traceback      []string `json:"traceback"`
}

// Ready returns when the kernel answers and its published messages arrive here. A subscription
// takes effect some time after the connection, so Ready asks again until both channels have
// answered.
func (c *Client) Ready(ctx context.Context) error {
	for {
		r, err := c.send(c.shell, "kernel_info_request", struct{}{}, func(Message) {})
		if err != nil {
			return err
		}
		attempt, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
		_, err = c.wait(attempt, r)
		cancel()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("jupyter: the kernel does not answer: %w", context.Cause(ctx))
		}
		if c.lost() != nil {
			return c.lost()
		}
	}
}

// Execute runs code and returns the kernel's reply when the kernel is idle again. publish gets the
// outputs in order. An error of the code is in the Reply. The error result is about the connection
// or ctx, and the code then goes on running.
//
// With count false the kernel's execution counter does not change.
func (c *Client) Execute(ctx context.Context, code string, count bool, publish func(Message)) (Reply, error) {
	r, err := c.send(c.shell, "execute_request", map[string]any{
		"code": code, "silent": false, "store_history": count, "user_expressions": map[string]any{},
		"allow_stdin": false, "stop_on_error": true,
	}, publish)
	if err != nil {
		return Reply{}, err
	}
	m, err := c.wait(ctx, r)
	if err != nil {
		return Reply{}, err
	}
	var reply Reply
	if err := json.Unmarshal(m.Content, &reply); err != nil {
		return Reply{}, fmt.Errorf("jupyter: execute_reply: %w", err)
	}
	return reply, nil
}

// wait returns the reply to r when the kernel has also reported that it is idle.
func (c *Client) wait(ctx context.Context, r *request) (Message, error) {
	var reply Message
	select {
	case m, ok := <-r.reply:
		if !ok {
			return Message{}, c.lost()
		}
		reply = m
	case <-ctx.Done():
		return Message{}, context.Cause(ctx)
	}
	for {
		select {
		case <-r.idle:
			return reply, nil
		case _, ok := <-r.reply: // closed when the connection is lost; a second reply has nothing new
			if !ok {
				return Message{}, c.lost()
			}
		case <-ctx.Done():
			return Message{}, context.Cause(ctx)
		}
	}
}

func (c *Client) lost() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

// Interrupt asks the kernel to interrupt what it runs, and returns when the kernel has taken the
// request. A later request then comes after it, even on another channel. Interrupt does not wait
// for the effect.
func (c *Client) Interrupt(ctx context.Context) error {
	r, err := c.send(c.control, "interrupt_request", struct{}{}, func(Message) {})
	if err != nil {
		return err
	}
	select {
	case _, ok := <-r.reply:
		if !ok {
			return c.lost()
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Shutdown asks the kernel to end. It does not wait for the effect.
func (c *Client) Shutdown() error {
	_, err := c.send(c.control, "shutdown_request", map[string]any{"restart": false}, func(Message) {})
	return err
}
