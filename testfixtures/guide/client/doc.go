// Package client is the code of docs/client.md: each block of code there shows one file, all
// that stands behind its imports. The tests run it against the servers of docs/guide.md, in both
// eras and over both transports.
package client
