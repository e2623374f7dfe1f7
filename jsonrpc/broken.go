package jsonrpc

import (
	"bytes"
	"errors"
)

// deliverBroken ends the wait for the answer that a text, which is none, was meant to be:
// no other will come. An answer that does not say to what, as far as it can be read,
// counts as that to the only call that waits. Whatever else the text may be is passed over.
func (c *Conn) deliverBroken(text []byte, told *Error) {
	id, isAnswer := answered(text)
	if !isAnswer {
		return
	}
	m := &Message{ID: id}
	if id.IsZero() {
		c.mu.Lock()
		for n := range c.calls {
			if len(c.calls) == 1 {
				m.ID = IntID(n)
			}
		}
		c.mu.Unlock()
	}
	c.deliverFault(m, told)
}

// beginning is what an error of a [Source] holds of the message.
func beginning(err error) []byte {
	var u *Unframed
	if errors.As(err, &u) {
		return u.Begin
	}
	return nil
}

// answered reports whether a text that is no message, cut short or not JSON, began as an
// answer, and to which id; zero when that is not to be read. Peers write the id
// before the result or behind it: what ends the text ends the envelope, too.
func answered(text []byte) (id ID, isAnswer bool) {
	c := newCursor(text, MaxDepth)
	if c.space(); c.peek() != '{' {
		return ID{}, false
	}
	for ok := c.open('}'); ok && !isAnswer; ok = c.more('}') {
		switch string(c.name()) {
		case "result", "error":
			isAnswer = c.fault == faultNone
		case "method":
			return ID{}, false
		case "id":
			id, _ = ParseID(c.value())
		default:
			c.value()
		}
	}
	if isAnswer && id.IsZero() {
		id = lastMember(text)
	}
	return id, isAnswer
}

// lastMember is the id with which an object ends: ,"id":N}
func lastMember(text []byte) ID {
	const space = " \t\r"
	text, ok := bytes.CutSuffix(bytes.TrimRight(text, space), []byte("}"))
	text = bytes.TrimRight(text, space)
	digits := bytes.TrimRight(text, "0123456789")
	id, isID := ParseID(text[len(digits):])
	name := bytes.TrimRight(digits, space)
	name, isMember := bytes.CutSuffix(name, []byte(":"))
	if !ok || !isID || !isMember || !bytes.HasSuffix(bytes.TrimRight(name, space), []byte(`,"id"`)) {
		return ID{}
	}
	return id
}
