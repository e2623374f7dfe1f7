// Package mutate attacks the fixture servers: with bytes that are no messages at all,
// with messages of which each byte is changed, many in one session, and with every golden
// transcript, one byte changed at a time, and over HTTP with bodies and headers of which each
// byte is changed. Whatever comes in,
// nothing but messages of JSON-RPC comes out, and the next good request is answered.
package mutate
