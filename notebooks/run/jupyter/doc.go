// Package jupyter speaks the Jupyter messaging protocol, version 5.3, to one kernel over ZeroMQ.
//
//   - Message, Signer: messages and their signed wire form.
//   - Connection: ports and key, and the file that tells a kernel of them.
//   - Client: connects, executes code, interrupts, shuts down.
//
// The kernel is on the loopback address only, and every message is signed with a random key that is in
// no file but the connection file (mode 0600). What is left out on purpose: the stdin channel (a cell
// that asks for input is an error in an unattended run), comms and widgets, the heartbeat (whoever
// starts the process sees it end).
//
// Reference: Jupyter client documentation, "Messaging in Jupyter", protocol 5.3.
package jupyter
