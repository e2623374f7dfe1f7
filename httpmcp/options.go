package httpmcp

// Options are the bounds and rules of an endpoint. A nil pointer, and every field that is zero, mean the default
// that the field's comment gives.
type Options struct {
	// AllowedOrigins are the origins of web pages that may call the endpoint besides those that come from it, such as
	// "https://app.example"; they get CORS headers. There is no wildcard. Default: none.
	AllowedOrigins []string

	// AllowedHosts are the names that a connection to a loopback address may call the server by, besides those
	// of the loopback interface: "app.example", with any port, or "app.example:8443". A proxy on the same
	// machine that passes the Host header on needs them. Default: none.
	AllowedHosts []string
}
