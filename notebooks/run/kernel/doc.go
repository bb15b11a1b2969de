// Package kernel runs one GoNB kernel as a process of its own and executes cells on it.
//
// A kernel is the leader of a process group that holds everything it starts: the Go compiler, the
// compiled cells, shell commands. Stop and a canceled context end the whole group, so that nothing is left
// running. On Linux the kernel also ends when this program is killed.
package kernel
