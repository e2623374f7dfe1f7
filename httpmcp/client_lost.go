package httpmcp

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// isBroken reports whether a response has ended too early: there is neither an answer nor
// a refusal, and it was not too large.
func isBroken(err error) bool {
	return err != nil && !errors.As(err, new(*boundError)) && !errors.As(err, new(*jsonrpc.Error)) &&
		!errors.As(err, new(*jsonrpc.BrokenResponse)) && !errors.As(err, new(*mcp.Rejected)) && !errors.Is(err, jsonrpc.ErrEchoed)
}

// lost is the error of a call whose connection was lost, for this reason, before its answer came.
func lost(method string, reason error) error {
	return fmt.Errorf("%w: %s: %w", mcp.ErrAnswerLost, method, reason)
}

// unsent is the error of a call whose POST has not got as far as the head of a response. It is lost
// where the connection was there, so that the server may have read the request; one that was not
// to be had, for example, is an error as it is.
func unsent(method string, err error) error {
	var network *net.OpError
	cut := errors.As(err, &network) && (network.Op == "read" || network.Op == "write") ||
		strings.HasSuffix(err.Error(), "http: server closed idle connection") // which net/http has no name for
	if cut || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return lost(method, err)
	}
	return err
}
