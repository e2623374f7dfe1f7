package mutate_test

import (
	"log/slog"
	"testing"

	"isthmus.internal/testfixtures/echo"
	"isthmus.internal/testfixtures/fixture/fixturetest"
)

// TestLines sends each of these lines once for every byte in it and some other bytes in
// that place, all in one session of each era. [TestTranscripts] changes one byte a session.
func TestLines(t *testing.T) {
	request, meta := fixturetest.Request, fixturetest.Meta
	lines := map[string]string{
		"handshake":      fixturetest.Initialize("2025-06-18"),
		"initialized":    fixturetest.Initialized,
		"legacy list":    request("1", "tools/list", ``),
		"legacy call":    request("1", "tools/call", `"name":"echo","arguments":{"text":"\u00e9 x"}`),
		"legacy batch":   `[` + request("1", "ping", ``) + `,` + request("2", "tools/list", ``) + `]`,
		"modern call":    request("1", "tools/call", `"name":"echo","arguments":{"text":"é x"},`+meta),
		"modern list":    request(`"a"`, "tools/list", meta),
		"discover":       request("-1", "server/discover", meta),
		"cancellation":   `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		"response":       `{"jsonrpc":"2.0","id":1,"result":{}}`,
		"error response": `{"jsonrpc":"2.0","id":1,"error":{"code":-32700,"message":"x"}}`,
	}
	a := newTarget(t, echo.NewServer(slog.New(slog.DiscardHandler)))
	for name, line := range lines {
		for session, before := range map[string]string{"before a handshake": "", "in a legacy session": fixturetest.Initialize("2025-03-26") + "\n"} {
			t.Run(name+" "+session, func(t *testing.T) {
				input := []byte(before)
				for i := range len(line) {
					for _, b := range []byte{line[i] ^ 1, line[i] ^ 0x80, '"', '\n', 0, '\\', '9', '{', ']', ','} {
						input = append(append(append(input, line[:i]...), b), line[i+1:]...)
						input = append(input, '\n')
					}
				}
				if err := a.attack(input); err != nil {
					t.Errorf("%.2000s", err.Error())
				}
			})
		}
	}
}
