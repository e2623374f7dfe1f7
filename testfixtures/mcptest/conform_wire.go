package mcptest

import "strings"

// unknownMethods tries methods that nobody has, and those of the other era.
func (k *kit) unknownMethods() {
	k.refuses(nowhere, "", -32601)
	for _, method := range k.speak.foreign() {
		k.refuses(method, "", -32601)
	}
	for _, l := range listMethods {
		if k.has(l.capability) {
			k.refuses(strings.ToUpper(l.method), "", -32601)
		}
	}
}

// idsComeBack leaves the comparison to the client.
func (k *kit) idsComeBack() {
	for _, id := range []string{`0`, `-7`, `9007199254740993`, `""`, `"0"`, `"é\u0000\/"`, `"an id with spaces"`} {
		k.StartAs(id, nowhere, "").Wait()
	}
}

func (k *kit) pingIsAnswered() {
	if fault := k.speak.pinged(k.Request("ping", "")); fault != "" {
		k.fail("%s", fault)
	}
}

// notificationsAreNot leaves it to the client to find what comes for nothing.
func (k *kit) notificationsAreNot() {
	for _, method := range []string{"notifications/" + nowhere, nowhere, "tools/list", "notifications/initialized"} {
		k.Notify(method, k.speak.params(k.o, "", ""))
	}
	k.Notify("notifications/cancelled", `{"requestId":"mcptest"}`)
	k.Notify("notifications/cancelled", `{}`)
	k.Request(nowhere, "") // what came for the above would have come before
	if left := k.Notes(); len(left) > 0 {
		k.fail("notifications are answered with %s", left[0].Line)
	}
}

func (k *kit) logLevels() {
	if k.has("logging") {
		method, params := k.speak.badLevel()
		k.refuses(method, params, -32602)
	}
}
