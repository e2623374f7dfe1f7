package mcp

import (
	"strings"

	"isthmus.internal/jsonrpc"
)

// TraceContext is the trace that the request belongs to, as it came in _meta
// (2026-07-28 basic/index, OpenTelemetry trace context): traceparent and tracestate
// of W3C Trace Context, and W3C Baggage. Each is "" when it is absent or not well
// formed, and tracestate also when traceparent is, since it means nothing alone. So
// what is not empty may be put into a header of an onward request as it is. It is the
// peer's word and proves nothing.
func (c *Call) TraceContext() (traceparent, tracestate, baggage string) {
	if traceparent = c.traceField("traceparent", isTraceparent); traceparent != "" {
		tracestate = c.traceField("tracestate", isTracestate)
	}
	return traceparent, tracestate, c.traceField("baggage", isBaggage)
}

func (c *Call) traceField(name string, wellFormed func(string) bool) string {
	raw := c.Meta(name)
	if raw.Kind() != jsonrpc.KindString || len(raw) > 2*longestTrace {
		return ""
	}
	if text, ok := raw.Text(); ok && len(text) <= longestTrace && wellFormed(text) {
		return text
	}
	return ""
}

// longestTrace bounds each field, in bytes. It is what a baggage must be given (W3C
// Baggage, Limits) and far more than a trace state (W3C Trace Context, tracestate
// Limits).
const longestTrace = 8192

// isTraceparent checks version-traceid-parentid-flags (W3C Trace Context,
// traceparent Header Field Values). Versions to come may add fields behind these.
func isTraceparent(text string) bool {
	const length = len("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01")
	if len(text) < length {
		return false
	}
	known, more := text[:length], text[length:]
	fields := strings.Split(known, "-")
	if len(fields) != 4 || len(fields[0]) != 2 || len(fields[1]) != 32 || len(fields[2]) != 16 {
		return false
	}
	for _, field := range fields {
		if !isLowerHex(field) {
			return false
		}
	}
	if fields[0] == "ff" || isZeros(fields[1]) || isZeros(fields[2]) {
		return false // the values that stand for nothing
	}
	return more == "" || fields[0] != "00" && more[0] == '-' && isVisible(more)
}

// isTracestate checks a list of up to 32 members key=value (W3C Trace Context,
// tracestate Header Field Values).
func isTracestate(text string) bool {
	seen := make(map[string]bool)
	for member := range strings.SplitSeq(text, ",") {
		member = strings.Trim(member, " \t")
		if member == "" {
			continue // allowed, and says nothing
		}
		key, value, ok := strings.Cut(member, "=")
		if !ok || seen[key] || !isTracestateKey(key) || !isTracestateValue(value) {
			return false
		}
		seen[key] = true
	}
	return 0 < len(seen) && len(seen) <= 32
}

// isTracestateKey checks a key: "vendor" or "tenant@vendor".
func isTracestateKey(key string) bool {
	if key == "" || len(key) > 256 {
		return false
	}
	tenant, system, multi := strings.Cut(key, "@")
	if multi && (len(tenant) > 241 || len(system) > 14) {
		return false
	}
	return isTracestateName(tenant) && (!multi || isTracestateName(system))
}

func isTracestateName(name string) bool {
	for i, b := range []byte(name) {
		switch {
		case 'a' <= b && b <= 'z', isDigit(b):
		case i > 0 && strings.IndexByte("_-*/", b) >= 0:
		default:
			return false
		}
	}
	return name != ""
}

func isTracestateValue(value string) bool {
	for _, b := range []byte(value) {
		if b < ' ' || b > '~' || b == ',' || b == '=' {
			return false
		}
	}
	return value != "" && len(value) <= 256
}

// isBaggage checks a list of key=value;property members (W3C Baggage, Header
// Content).
func isBaggage(text string) bool {
	for member := range strings.SplitSeq(text, ",") {
		first := true
		for part := range strings.SplitSeq(member, ";") {
			key, value, hasValue := strings.Cut(part, "=")
			if !isToken(strings.Trim(key, " \t")) || !isBaggageValue(strings.Trim(value, " \t")) || first && !hasValue {
				return false
			}
			first = false
		}
	}
	return true
}

func isBaggageValue(value string) bool {
	for _, b := range []byte(value) {
		if b <= ' ' || b > '~' || b == '"' || b == ',' || b == ';' || b == '\\' {
			return false
		}
	}
	return true
}

func isLowerHex(text string) bool {
	for _, b := range []byte(text) {
		if !isDigit(b) && (b < 'a' || b > 'f') {
			return false
		}
	}
	return true
}

func isZeros(text string) bool { return strings.Trim(text, "0") == "" }

func isVisible(text string) bool {
	for _, b := range []byte(text) {
		if b <= ' ' || b > '~' {
			return false
		}
	}
	return true
}
