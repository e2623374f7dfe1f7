package discover

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

// connecting finds the era of a server for a client that is to speak to it.
type connecting struct {
	transport Transport
	opts      *ConnectOptions
	client    *mcp.Client
	inbox     *inbox
	log       *slog.Logger

	eras  mcp.Eras    // those that may be spoken
	forms []*mcp.Form // the modern revisions that may be spoken
	links []mcp.Link  // all that were opened and not closed

	refusal error // how the server has refused server/discover; nil where it was not asked
}

func newConnecting(t Transport, o *ConnectOptions) (*connecting, error) {
	if o == nil {
		o = &ConnectOptions{}
	}
	if t == nil {
		return nil, errors.New("discover: there is no transport to connect by: stdio.Command, Dial and Stream make one, and httpmcp.Dial")
	}
	eras, forms, err := o.wanted()
	if err != nil {
		return nil, err
	}
	c := mcp.NewClient(o.Client)
	return &connecting{transport: t, opts: o, client: c, inbox: newInbox(c), log: c.Logger(), eras: eras, forms: forms}, nil
}

// wanted is what the options leave open: the eras, and the modern revisions.
func (o *ConnectOptions) wanted() (mcp.Eras, []*mcp.Form, error) {
	eras := o.Era
	switch {
	case eras&^mcp.Both != 0:
		return 0, nil, fmt.Errorf("discover: ConnectOptions.Era is %v: it must be mcp.Legacy, mcp.Modern, or mcp.Both for either", eras)
	case eras == 0:
		eras = mcp.Both
	}
	if o.Version == "" {
		return eras, modernForms, nil
	}
	f := commonForm(modernForms, []string{o.Version})
	switch {
	case f != nil && eras&mcp.Modern != 0:
		return mcp.Modern, []*mcp.Form{f}, nil
	case legacy.Serves(o.Version) && eras&mcp.Legacy != 0:
		return mcp.Legacy, modernForms, nil
	case f != nil || legacy.Serves(o.Version):
		return 0, nil, fmt.Errorf("discover: version %s is not one of the %s era: leave one of the two open", o.Version, o.Era)
	}
	return 0, nil, fmt.Errorf("discover: version %.40q is not known: there are %s", o.Version, listed(append(Versions(), legacy.Versions()...)))
}

// connect goes the shortest way that the options allow: it does not ask the server for its era
// where that is known or set.
func (k *connecting) connect(ctx context.Context) (mcp.Exchange, *Verdict, error) {
	known := k.known()
	switch {
	case known.Era == mcp.Modern:
		return k.presume(ctx, known)
	case known.Era == mcp.Legacy, k.eras == mcp.Legacy:
		x, verdict, err := k.handshake(ctx, known.legacyEvidence())
		if err == nil || k.eras == mcp.Legacy || ctx.Err() != nil || errors.Is(err, jsonrpc.ErrEchoed) {
			return x, verdict, err
		}
		k.log.Info("the server does not do the handshake any more: its era is found anew", "error", err)
	}
	return k.find(ctx, nil)
}

// known is the verdict of the options, or the zero one where there is none or the options do
// not let it be used.
func (k *connecting) known() Verdict {
	v := k.opts.Known
	switch {
	case v == nil, v.Era&k.eras == 0:
	case v.Era == mcp.Modern && commonForm(k.forms, []string{v.Version}) == nil:
	case v.Era == mcp.Legacy && !legacy.Serves(v.Version):
	default:
		return *v
	}
	return Verdict{}
}

// presume takes the server for a modern one without asking it.
func (k *connecting) presume(ctx context.Context, known Verdict) (mcp.Exchange, *Verdict, error) {
	x, err := k.modern(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	if err := x.reword(func(w *wording) { w.form = commonForm(k.forms, []string{known.Version}) }); err != nil {
		return nil, nil, err
	}
	k.inbox.pass(x)
	if k.eras == mcp.Modern {
		return x, &known, nil // there is no other era to find
	}
	return newPresumed(k, x), &known, nil
}

// find finds the era out. before is an exchange that there is already, nil for none.
func (k *connecting) find(ctx context.Context, before *modernClient) (mcp.Exchange, *Verdict, error) {
	x, err := k.modern(ctx, before)
	if err != nil {
		return nil, nil, err
	}
	found, err := k.probe(ctx, x)
	switch {
	case err != nil:
		return nil, nil, err
	case found.modern:
		return k.settle(x, found)
	case k.eras == mcp.Modern:
		return nil, nil, notModern(found)
	}
	k.refusal = found.err
	return k.fallBack(ctx, x, found)
}

// fallBack does the handshake with a server that has not shown itself to be modern. x is what
// it was asked by.
func (k *connecting) fallBack(ctx context.Context, x *modernClient, found finding) (mcp.Exchange, *Verdict, error) {
	alive := x.link.Err() == nil
	y, verdict, err := k.handshake(ctx, found.evidence)
	if err != nil && alive && x.link.Err() != nil && ctx.Err() == nil {
		// The server has ended meanwhile, most likely of the probe. One that is started anew
		// has not heard that.
		if again, verdict, err := k.handshake(ctx, found.evidence); err == nil {
			return again, verdict, nil
		}
	}
	if err != nil && found.silent && ctx.Err() == nil {
		// It may have been slow to start.
		if again, err := k.probe(ctx, x); err == nil && again.modern {
			return k.settle(x, again)
		}
	}
	if err != nil {
		return nil, nil, neitherWorks(found, err)
	}
	return y, verdict, nil
}

// settle speaks the modern era, which the server has been found to speak.
func (k *connecting) settle(x *modernClient, found finding) (mcp.Exchange, *Verdict, error) {
	k.inbox.pass(x)
	k.closeBut(x.link)
	return x, &Verdict{Era: mcp.Modern, Version: x.Form().Revision, Evidence: found.evidence}, nil
}

// modern opens the link of the modern era. The exchange is the one before, where that has the
// same link.
func (k *connecting) modern(ctx context.Context, before *modernClient) (*modernClient, error) {
	link, err := k.transport.Modern(ctx, k.inbox, k.log)
	if err != nil {
		return nil, fmt.Errorf("discover: %w", err)
	}
	k.opened(link)
	if before != nil && before.link == link {
		return before, nil
	}
	return newModernClient(k.client, link, k.forms)
}

// handshake speaks the legacy era. evidence says why.
func (k *connecting) handshake(ctx context.Context, evidence string) (mcp.Exchange, *Verdict, error) {
	link, err := k.transport.Legacy(ctx, k.inbox, k.log)
	if err != nil {
		return nil, nil, fmt.Errorf("discover: %w", err)
	}
	k.opened(link)
	x := legacy.NewClient(k.client, &legacy.ClientOptions{Version: k.legacyVersion()})
	k.inbox.pass(x) // the server may ask as soon as it has the last word of the handshake
	if most := k.opts.handshakeTime(); most > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, most, late("initialize", most))
		defer cancel()
	}
	if err := x.Open(ctx, link); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, nil, err
	}
	k.closeBut(link)
	return x, &Verdict{Era: mcp.Legacy, Version: x.Form().Revision, Evidence: evidence}, nil
}

// legacyVersion is the legacy revision that is asked for, "" for any.
func (k *connecting) legacyVersion() string {
	if k.eras == mcp.Legacy {
		return k.opts.Version
	}
	return ""
}

// opened notes a link, once, that has to be closed if it comes to nothing.
func (k *connecting) opened(link mcp.Link) {
	if !slices.Contains(k.links, link) {
		k.links = append(k.links, link)
	}
}

// closeBut closes all links but the one that is used, nil for none.
func (k *connecting) closeBut(used mcp.Link) {
	for _, link := range k.links {
		if link == used {
			continue
		}
		if err := link.Close(); err != nil {
			k.log.Debug("a link that was not used has ended badly", "error", err)
		}
	}
	k.links = nil
	if used != nil {
		k.links = append(k.links, used)
	}
}
