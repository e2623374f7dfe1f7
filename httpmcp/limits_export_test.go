package httpmcp

// Defaults are what the accessors of nil options give, by the names of the fields.
func Defaults() map[string]any {
	var (
		o *Options
		m *MemoryOptions
		s *ServeOptions
	)
	return map[string]any{
		"Options.MaxBody": o.maxBody(), "Options.BodyTime": o.bodyTime(), "Options.WriteTime": o.writeTime(),
		"Options.KeepAlive": o.keepAlive(), "Options.MaxInFlight": o.maxInFlight(),
		"Options.MaxSessionInFlight": o.maxSessionInFlight(), "Options.MaxStreams": o.maxStreams(),
		"Options.MaxSessions": o.maxSessions(), "Options.SessionIdle": o.sessionIdle(),
		"Options.SessionLife": o.sessionLife(), "Options.Retry": o.retry(),
		"MemoryOptions.MaxStream": m.maxStream(), "MemoryOptions.MaxSession": m.maxSession(), "MemoryOptions.MaxTotal": m.maxTotal(),
		"ServeOptions.HeaderTime": s.headerTime(), "ServeOptions.MaxHeader": s.maxHeader(), "ServeOptions.Idle": s.idle(),
		"ServeOptions.MaxConnections": s.maxConnections(), "ServeOptions.Drain": s.drain(),
	}
}
