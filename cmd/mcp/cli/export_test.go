package cli

// Unreached is how the command of this name tells that a server could not be reached, since err.
func Unreached(name string, err error) (said string) {
	_, said = find(name).explain(&unreached{target{url: "http://127.0.0.1:9/"}, err, ""})
	return said
}
