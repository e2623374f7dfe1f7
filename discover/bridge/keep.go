package bridge

import (
	"context"
	"maps"
	"slices"
	"time"
)

// keepLocked has the server asked, on a goroutine that is there while there is need, for what it
// does not tell of and somebody waits for, and anew for what is in blocks that are too many or
// tell of too much.
func (f *feed) keepLocked() {
	if !f.keeping {
		f.keeping = f.line.bridge.run(f.keep)
	}
}

// wake has the server asked at once for what it does not tell of: it is connected again.
func (f *feed) wake() {
	select {
	case f.woken <- struct{}{}:
	default:
	}
}

// keepTime bounds how long the server may take to agree, and mostKeepPause the pause before it
// is asked again, where no request waits for that.
const (
	keepTime      = time.Minute
	mostKeepPause = time.Minute
)

// keep does what keepLocked says.
func (f *feed) keep() {
	failed := false
	for wait, due := f.due(); due; wait, due = f.due() {
		f.rest(wait)
		a := f.next()
		if a == nil {
			continue
		}
		ctx, cancel := context.WithTimeout(f.line.ctx, keepTime)
		err := f.open(ctx, a)
		cancel()
		if err != nil && !failed && f.line.ctx.Err() == nil {
			f.line.bridge.log.Warn("clients are told of no changes: the server was asked in vain, and is asked again", "error", err)
		}
		failed = err != nil
	}
}

// due is how long to wait before the server is asked; it is not due where there is nothing to
// ask for.
func (f *feed) due() (wait time.Duration, due bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	missing, loose := len(f.missingLocked()) > 0, f.looseLocked() != nil
	if missing && f.notBefore.IsZero() {
		f.notBefore = time.Now().Add(f.retries.pause(mostKeepPause))
	}
	switch wait := time.Until(f.notBefore); {
	case f.line.ctx.Err() != nil:
	case missing && (!loose || wait <= 0):
		return wait, true
	case loose:
		return lingerTime, true // there may be more of them by then
	}
	f.keeping = false
	f.makeRoomLocked()
	return 0, false
}

// rest waits before the server is asked.
func (f *feed) rest(most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-f.woken:
	case <-f.line.ctx.Done():
	}
}

// next begins an attempt for what the server is to be asked for now; nil for nothing.
func (f *feed) next() *attempt {
	f.mu.Lock()
	defer f.mu.Unlock()
	loose := f.looseLocked()
	topics := f.missingLocked()
	if len(topics) > 0 && (loose == nil || time.Until(f.notBefore) <= 0) {
		f.notBefore = time.Time{}
		f.retries.over()
		return f.attemptLocked(topics)
	}
	if loose == nil {
		return nil
	}
	topics = nil
	for _, k := range loose {
		topics = slices.AppendSeq(topics, maps.Keys(k.topics))
	}
	return f.attemptLocked(topics)
}

// missingLocked are topics that the server does not tell of any more and that nobody asks it for:
// such as may be asked for together, or a single one.
func (f *feed) missingLocked() (topics []*topic) {
	var alone []*topic
	for _, t := range f.topics {
		switch {
		case t.by != nil, t.asking != nil, !t.missed && t.uri != theLists:
		case t.alone:
			alone = []*topic{t}
		case len(topics) < mostInBlock:
			topics = append(topics, t)
		}
	}
	if len(topics) == 0 {
		return alone
	}
	return topics
}

// looseLocked are blocks that another one is to take the place of: small ones where there are
// many, and such as tell of more than they should.
func (f *feed) looseLocked() (loose []*block) {
	count, stale := 0, false
	for k := range f.blocks {
		if n := len(k.topics); !k.fixed && n > 0 && (k.stale || n < mostInBlock/2) && count+n <= mostInBlock {
			loose = append(loose, k)
			count += n
			stale = stale || k.stale
		}
	}
	if !stale && len(loose) < fewBlocks {
		return nil
	}
	return loose
}
