// The part of the walk that only Streamable HTTP has.

import assert from 'node:assert/strict';
import { refusal, step } from './report.mjs';

export async function steps(w) {
  if (w.era === 'modern') {
    await step('mirrored headers', () => mirrored(w));
    await step('error statuses', () => statuses(w));
  } else {
    await step('resume', () => resume(w));
    await step('end the session', () => endSession(w));
  }
}

/** What the client sends while run runs. */
async function sent({ seen }, run) {
  const from = seen.requests.length;
  await run();
  return seen.requests.slice(from);
}

/** What is in the body stands in headers, too, encoded where a header could not hold it. The server compares. */
async function mirrored(w) {
  const { client } = w;
  await client.listTools(); // which arguments are mirrored stands in the list
  const headers = async (run) => {
    const [request, ...more] = await sent(w, run);
    assert.deepEqual(more, []);
    assert.equal(request.headers['mcp-protocol-version'], '2026-07-28');
    const { 'mcp-method': method, 'mcp-name': name, 'mcp-param-region': region } = request.headers;
    return { method, name, region, status: request.status };
  };
  for (const [region, header] of [
    ['eu-west', 'eu-west'],
    ['Zürich', '=?base64?WsO8cmljaA==?='],
    [' eu ', '=?base64?IGV1IA==?='],
  ]) {
    const got = await headers(async () => {
      const result = await w.call('test_x_mcp_header', { region });
      assert.deepEqual(result, { content: [{ type: 'text', text: `region: ${region}` }] });
    });
    assert.deepEqual(got, { method: 'tools/call', name: 'test_x_mcp_header', region: header, status: 200 });
  }
  const uri = 'test://template/7/data';
  assert.deepEqual(await headers(() => client.readResource({ uri })), {
    method: 'resources/read', name: uri, region: undefined, status: 200,
  });
  assert.deepEqual(await headers(() => client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } })), {
    method: 'prompts/get', name: 'greet', region: undefined, status: 200,
  });
}

// How the protocol's own members of _meta begin.
const own = 'io.modelcontextprotocol/';

/** A result of any kind. */
const anything = { '~standard': { version: 1, vendor: 'interop', validate: (value) => ({ value }) } };

/** With which status an error comes, and what the client makes of it. */
async function statuses(w) {
  const { client, sdk } = w;
  const status = async (promise) => {
    let error;
    const [request] = await sent(w, async () => (error = await refusal(promise())));
    return { status: request.status, code: error.code, data: error.data };
  };
  const call = (name, meta) => () => sdk.call(client, { name, _meta: meta });

  assert.deepEqual(await status(call('nobody', {})), { status: 200, code: -32602, data: undefined });
  assert.deepEqual(await status(call('add', { [own + 'clientCapabilities']: 7 })), { status: 400, code: -32602, data: undefined });
  assert.deepEqual(await status(call('ask', { [own + 'clientCapabilities']: {} })), {
    status: 400,
    code: -32021,
    data: { requiredCapabilities: { elicitation: { form: {} } } },
  });
  assert.deepEqual(await status(call('add', { [own + 'protocolVersion']: '2099-01-01' })), {
    status: 400,
    code: -32022,
    data: { supported: ['2026-07-28'], requested: '2099-01-01' },
  });
  // Behind a 404 this client takes no message for its own, and shows the body as it is.
  const unknown = await status(() => client.request({ method: 'nobody/knows' }, anything));
  assert.deepEqual({ status: unknown.status, told: unknown.data.status }, { status: 404, told: 404 });
  assert.equal(JSON.parse(unknown.data.text).error.code, -32601);
}

/** The server closes the stream of a call, and the client comes back for the answer. */
async function resume(w) {
  const requests = await sent(w, async () =>
    assert.deepEqual(await w.call('test_reconnection'), { content: [{ type: 'text', text: 'The answer has come through.' }] }));
  const back = requests.filter((request) => request.method === 'GET');
  assert.deepEqual(back.map((request) => request.status), [200]);
  assert.ok(back[0].headers['last-event-id'], 'it came back without Last-Event-ID');
}

/** A session that the client has ended is gone. */
async function endSession(w) {
  const { transport, url } = w;
  const id = transport.sessionId;
  assert.match(id, /^[\x21-\x7e]+$/);
  const [ended] = await sent(w, () => transport.terminateSession());
  assert.deepEqual({ method: ended.method, id: ended.headers['mcp-session-id'] }, { method: 'DELETE', id });
  assert.equal(Math.floor(ended.status / 100), 2);
  const { status } = await fetch(url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-11-25',
      'mcp-session-id': id,
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  });
  assert.equal(status, 404);
}
