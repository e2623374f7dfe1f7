package mcp

import (
	"sync/atomic"

	"isthmus.internal/jsonrpc"
)

// LogLevel says how grave a log message is (2026-07-28 server/utilities/logging, Log
// Levels, and RFC 5424, section 6.2.1). The zero value is no level: as a threshold it
// lets nothing through.
type LogLevel uint8

// The levels, the least grave first.
const (
	LogDebug LogLevel = iota + 1
	LogInfo
	LogNotice
	LogWarning
	LogError
	LogCritical
	LogAlert
	LogEmergency
)

// levelNames are the levels as they are written, "" at the place of no level.
var levelNames = [...]string{"", "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// String is the name that is sent, "" for what is no level.
func (l LogLevel) String() string {
	if int(l) < len(levelNames) {
		return levelNames[l]
	}
	return ""
}

// ParseLogLevel reads the name of a level, exactly as the specification writes it.
func ParseLogLevel(name string) (LogLevel, bool) {
	return ReadLogLevel(jsonrpc.AppendString(nil, name))
}

// ReadLogLevel reads a level that a peer sent.
func ReadLogLevel(raw jsonrpc.Raw) (LogLevel, bool) {
	for level := LogDebug; level <= LogEmergency; level++ {
		if raw.Is(levelNames[level]) {
			return level, true
		}
	}
	return 0, false
}

// LogLevelNames are the names of all levels, as an error tells them to a peer.
const LogLevelNames = "debug, info, notice, warning, error, critical, alert, emergency"

// SessionLevel is the level that a legacy session has set, nothing at first. It holds
// for what is logged from then on, in requests that run already too. Its methods may be
// called from any goroutine.
type SessionLevel struct{ level atomic.Uint32 }

// Set makes l the least grave level that is sent.
func (s *SessionLevel) Set(l LogLevel) { s.level.Store(uint32(l)) }

// Level is the least grave level that is sent, 0 when none is.
func (s *SessionLevel) Level() LogLevel { return LogLevel(s.level.Load()) }
