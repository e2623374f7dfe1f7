package httpmcp

import (
	"net/netip"
	"strings"
)

// authority is a host and perhaps a port, as a Host header names them. It is ASCII alone:
// browsers send other names in punycode, which is compared as it stands.
type authority struct {
	host string // without a dot at its end; an IPv6 address in brackets
	port int    // noPort where none stands
}

const noPort = -1

const longestHost = 253 // of a name in DNS

// readAuthority reads the value of a Host header. It is strict, since two readings of one name
// are what rebinding lives on: no user information, no space, no empty label or port, no zone.
func readAuthority(s string) (authority, bool) {
	end := strings.IndexByte(s, ':')
	if strings.HasPrefix(s, "[") {
		end = strings.IndexByte(s, ']') + 1
		if end == 0 {
			return authority{}, false
		}
	}
	host, port := s, noPort
	if end >= 0 && end < len(s) {
		var ok bool
		host = s[:end]
		if port, ok = readPort(s[end:]); !ok {
			return authority{}, false
		}
	}
	if host == "" || len(host) > longestHost+1 {
		return authority{}, false
	}
	if host[0] == '[' {
		_, ok := inBrackets(host)
		return authority{host, port}, ok
	}
	host = strings.TrimSuffix(host, ".") // the name from the root of DNS is the same name
	return authority{host, port}, isName(host)
}

// readPort reads a colon and a port.
func readPort(s string) (int, bool) {
	if s[0] != ':' || len(s) < 2 || len(s) > len(":65535") {
		return 0, false
	}
	port := 0
	for _, c := range []byte(s[1:]) {
		if c < '0' || c > '9' {
			return 0, false
		}
		port = port*10 + int(c-'0')
	}
	return port, port <= 65535
}

// inBrackets is the IPv6 address in a pair of brackets.
func inBrackets(host string) (netip.Addr, bool) {
	if len(host) < 2 || strings.IndexByte(host, '%') >= 0 {
		return netip.Addr{}, false
	}
	addr, err := netip.ParseAddr(host[1 : len(host)-1])
	return addr, err == nil && addr.Is6()
}

// isName reports whether a text is labels with dots between them.
func isName(s string) bool {
	if s == "" || len(s) > longestHost {
		return false
	}
	last := byte('.')
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		case c == '.' && last != '.':
		default:
			return false
		}
		last = c
	}
	return last != '.'
}

// isLoopback reports whether a name always leads back to the machine that looks it up: localhost and
// what is below it (RFC 6761, 6.3), and the addresses that are loopback. Other spellings of these, such as
// 127.1, are none: clients write them in full before they send them.
func (a authority) isLoopback() bool {
	switch a.host {
	case "127.0.0.1", "localhost": // as nearly all are
		return true
	}
	const local = "localhost"
	if n := len(a.host) - len(local); n >= 0 && strings.EqualFold(a.host[n:], local) {
		return n == 0 || a.host[n-1] == '.'
	}
	if a.host[0] == '[' {
		addr, ok := inBrackets(a.host)
		return ok && addr.IsLoopback()
	}
	if !strings.HasPrefix(a.host, "127.") {
		return false
	}
	addr, err := netip.ParseAddr(a.host)
	return err == nil && addr.IsLoopback()
}

// portOr is the port, or where none stands that of the scheme.
func (a authority) portOr(port int) int {
	if a.port == noPort {
		return port
	}
	return a.port
}

// origin is a web origin that is not opaque (RFC 6454).
type origin struct {
	scheme string
	authority
}

// readOrigin reads the value of an Origin header: scheme, host and port, and nothing behind them. The opaque
// origin "null" is none, and neither is a list.
func readOrigin(s string) (origin, bool) {
	scheme, rest, found := strings.Cut(s, "://")
	if !found || !isScheme(scheme) {
		return origin{}, false
	}
	a, ok := readAuthority(rest)
	return origin{scheme, a}, ok
}

func isScheme(s string) bool {
	for i, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return s != ""
}

// defaultPort is the port of an origin that names none.
func (o origin) defaultPort() int {
	switch {
	case strings.EqualFold(o.scheme, "https"):
		return 443
	case strings.EqualFold(o.scheme, "http"):
		return 80
	}
	return noPort
}

func (o origin) equal(p origin) bool {
	port := o.defaultPort()
	return strings.EqualFold(o.scheme, p.scheme) && strings.EqualFold(o.host, p.host) && o.portOr(port) == p.portOr(port)
}

// isOf reports whether this is the origin of a page that the server of this name has served. What stands in
// front of a server may speak TLS in its place, so without TLS either scheme will do.
func (o origin) isOf(server authority, tls bool) bool {
	port := o.defaultPort()
	if port == noPort || tls && port != 443 {
		return false
	}
	return strings.EqualFold(o.host, server.host) && o.portOr(port) == server.portOr(port)
}
