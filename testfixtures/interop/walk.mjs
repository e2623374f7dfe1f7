// The walk that both generations of the SDK take through mcp-everything. Each step does one
// thing that clients do, and knows exactly what has to come back. What the generations
// call by different names is in the object sdk.

import assert from 'node:assert/strict';
import * as asking from './walk-asks.mjs';
import * as hearing from './walk-hears.mjs';
import * as fixture from './fixture.mjs';
import { recording } from './recording.mjs';
import { refusal, spoke, step, until } from './report.mjs';
import * as web from './walk-http.mjs';

const { plain } = fixture;

/**
 * Connects a client of the sdk to a server, takes all steps, and closes it. The arguments are the
 * era, the transport, and where the server is: a URL, or for stdio its command.
 */
export async function walk(sdk, [era, transportName, ...target]) {
  const client = sdk.client({ elicitation: { form: { applyDefaults: true } }, sampling: {}, roots: { listChanged: true } });
  const seen = recording();
  const transport = {
    stdio: () => sdk.stdio({ command: target[0], args: target.slice(1), stderr: 'ignore' }),
    HTTP: () => sdk.http(new URL(target[0]), { fetch: seen.fetch }),
    'HTTP+SSE': () => sdk.sse(new URL(target[0])),
  }[transportName]();
  const w = {
    sdk, era, transportName, client, transport, seen,
    url: target[0],
    call: (name, args, options) => callTool(sdk, client, name, args, options),
  };
  asking.prepare(w);
  hearing.prepare(w);

  await step('connect', () => connect(w));
  if (era === 'legacy') await step('ping', async () => assert.deepEqual(await client.ping(), {}));
  await step('list tools', () => listTools(w));
  await step('list resources', async () =>
    assert.deepEqual(await sdk.list(client, 'listResources', 'resources'), fixture.resources));
  await step('list templates', async () =>
    assert.deepEqual(await sdk.list(client, 'listResourceTemplates', 'resourceTemplates'), fixture.templates));
  await step('list prompts', () => listPrompts(w));
  await step('call', () => call(w));
  await step('calls at the same time', () => together(w));
  await step('content', () => content(w));
  await step('errors', () => errors(w));
  await step('read', () => read(w));
  await step('prompt', () => prompt(w));
  await step('complete', () => complete(w));
  await hearing.steps(w);
  await asking.steps(w);
  if (transportName === 'HTTP') await web.steps(w);
  await step('close', () => close(w));
}

/** Calls a tool and returns its result. */
async function callTool(sdk, client, name, args, options) {
  return plain(await sdk.call(client, { name, arguments: args }, options));
}

async function connect({ sdk, era, client, transport }) {
  await client.connect(transport);
  const version = sdk.version(client);
  spoke(version);
  assert.equal(version, era === 'modern' ? '2026-07-28' : '2025-11-25');
  assert.deepEqual(client.getServerVersion(), fixture.server);
  assert.deepEqual(client.getServerCapabilities(), fixture.capabilities);
  assert.equal(client.getInstructions(), fixture.instructions);
}

async function listTools({ sdk, client }) {
  const tools = await sdk.list(client, 'listTools', 'tools');
  assert.deepEqual(tools.map((tool) => tool.name), fixture.tools);
  assert.deepEqual(tools.find((tool) => tool.name === 'add'), fixture.add);
}

async function listPrompts({ sdk, client }) {
  const prompts = await sdk.list(client, 'listPrompts', 'prompts');
  assert.deepEqual(prompts.map((prompt) => prompt.name), fixture.prompts);
  assert.deepEqual(prompts.find((prompt) => prompt.name === 'greet'), fixture.greet);
}

async function call({ call }) {
  assert.deepEqual(await call('add', { a: 2, b: 3 }), {
    content: [{ type: 'text', text: '{"sum":5}' }],
    structuredContent: { sum: 5 },
  });
  const said = { text: 'naïve ☃ <&> \u2028 "\\" 🎈', list: [1, 2.5, -3e2, true, null], none: {} };
  const { structuredContent } = await call('echo', said);
  assert.deepEqual(structuredContent, said);
  assert.deepEqual(await call('big', { n: 300_000 }), { content: [{ type: 'text', text: 'x'.repeat(300_000) }] });
}

async function together({ call }) {
  const numbers = Array.from({ length: 50 }, (_, i) => i);
  const results = await Promise.all(numbers.map((i) => call('add', { a: i, b: 1000 })));
  assert.deepEqual(results.map((result) => result.structuredContent.sum), numbers.map((i) => i + 1000));
}

async function content({ call }) {
  const image = { type: 'image', data: fixture.pixel, mimeType: 'image/png' };
  const inside = (uri) => ({
    type: 'resource',
    resource: { uri, mimeType: 'text/plain', text: 'This is an embedded resource content.' },
  });
  assert.deepEqual((await call('test_image_content')).content, [image]);
  assert.deepEqual((await call('test_embedded_resource')).content, [inside('test://embedded-resource')]);
  assert.deepEqual((await call('test_multiple_content_types')).content, [
    { type: 'text', text: 'Several kinds of content:' },
    image,
    inside('test://mixed-content-resource'),
  ]);
  assert.deepEqual((await call('test_resource_link')).content, [
    { type: 'resource_link', uri: 'file://docs/readme', name: 'readme', mimeType: 'text/plain' },
  ]);
  const [{ data, ...sound }] = (await call('test_audio_content')).content;
  assert.deepEqual(sound, { type: 'audio', mimeType: 'audio/wav' });
  assert.equal(Buffer.from(data, 'base64').length, 44 + 80);
}

async function errors({ sdk, call, client }) {
  assert.deepEqual(await call('test_error_handling'), {
    content: [{ type: 'text', text: 'This tool intentionally returns an error for testing.' }],
    isError: true,
  });
  assert.deepEqual(await call('add', { a: 2, b: 'three' }), {
    content: [{ type: 'text', text: 'Invalid arguments for tool add: arguments.b: expected an integer, got the string "three"' }],
    isError: true,
  });
  const panic = await refusal(call('boom'));
  assert.equal(panic.code, -32603);
  assert.match(panic.message, /Internal error \(correlation id [a-z0-9]+\)$/);
  const unknown = await refusal(call('nobody'));
  assert.equal(unknown.code, -32602);
  assert.match(unknown.message, /Unknown tool: nobody$/);
  const missing = await refusal(client.readResource({ uri: 'test://nowhere' }));
  assert.equal(missing.code, sdk.notFound);
  assert.match(missing.message, /test:\/\/nowhere/);
}

async function read({ client }) {
  const of = async (uri) => plain(await client.readResource({ uri })).contents;
  assert.deepEqual(await of('test://static-text'), [
    { uri: 'test://static-text', mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  ]);
  assert.deepEqual(await of('test://static-binary'), [
    { uri: 'test://static-binary', mimeType: 'image/png', blob: fixture.pixel },
  ]);
  assert.deepEqual(await of('test://template/7/data'), [
    {
      uri: 'test://template/7/data', mimeType: 'application/json',
      text: '{"id":"7","templateTest":true,"data":"The record of this id."}',
    },
  ]);
}

async function prompt({ client }) {
  assert.deepEqual(plain(await client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } })), {
    description: 'A greeting for Ada',
    messages: [{ role: 'user', content: { type: 'text', text: 'Greet Ada in one sentence.' } }],
  });
  const { messages } = await client.getPrompt({ name: 'test_prompt_with_image' });
  assert.deepEqual(messages[0], { role: 'user', content: { type: 'image', data: fixture.pixel, mimeType: 'image/png' } });
}

async function complete({ client }) {
  const of = async (ref, argument) => (await client.complete({ ref, argument })).completion;
  assert.deepEqual(await of({ type: 'ref/prompt', name: 'greet' }, { name: 'name', value: 'A' }), {
    values: ['Ada', 'Alan', 'Barbara', 'Grace'],
    total: 4,
  });
  assert.deepEqual(await of({ type: 'ref/resource', uri: 'test://template/{id}/data' }, { name: 'id', value: '1' }), {
    values: ['1', '12', '123'],
    total: 3,
  });
}

/** Closes the client. A server on standard streams has to end with it. */
async function close({ client, transport, transportName }) {
  const { pid } = transport;
  await client.close();
  if (transportName === 'stdio') await until(() => !runs(pid));
}

function runs(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
