package httpmcp

import "isthmus.internal/jsonrpc"

var CheckMirrors = checkMirrors

func EqualNumbers(a, b string) bool { return equalNumbers(a, jsonrpc.Raw(b)) }

func Decode(text string) (decoded string, ok bool) {
	encoded, marked := cutMarkers(text)
	if !marked {
		return text, true
	}
	return decode(encoded)
}
