// The official inspector (@modelcontextprotocol/inspector) in its command line mode. Each
// step starts it anew, with a connection of its own.
//
//   node inspector.mjs ERA HTTP URL
//   node inspector.mjs legacy HTTP+SSE URL
//   node inspector.mjs ERA stdio COMMAND ARGUMENT...
//
// ERA is legacy or modern. The modern one is not demanded: the inspector asks the server, and
// has to find out by itself.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as fixture from './fixture.mjs';
import { cannot, spoke, step } from './report.mjs';

const [era, transport, ...target] = process.argv.slice(2);
const { plain } = fixture;
const here = fileURLToPath(new URL('.', import.meta.url));
const program = join(here, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');

// It keeps files of its own in the home folder, which is one that nobody needs.
const home = mkdtempSync(join(tmpdir(), 'inspector'));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));

/** Runs it, and returns the result and the error that it prints, and its exit status. */
async function run(...options) {
  const args = [
    program, '--cli', ...target, '--transport', { stdio: 'stdio', HTTP: 'http', 'HTTP+SSE': 'sse' }[transport],
    '--protocol-era', era === 'modern' ? 'auto' : 'legacy', '--format', 'json', '--quiet', ...options,
  ];
  const { code, stdout, stderr } = await new Promise((done) =>
    execFile(process.execPath, args, { env: { ...process.env, HOME: home } }, (error, stdout, stderr) =>
      done({ code: error?.code ?? 0, stdout, stderr })));
  const { result } = stdout ? JSON.parse(stdout) : {};
  const { error } = stderr ? JSON.parse(stderr) : {};
  return { status: code, result, error: error?.message };
}

/** The result of a method that has to succeed, and to print nothing else. */
async function result(method, ...options) {
  const { status, result, error } = await run('--method', method, ...options);
  assert.deepEqual({ status, error }, { status: 0, error: undefined });
  return plain(result);
}

const call = (name, args = {}) => result('tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args));

/** What it says to a method that it does not have. */
async function unsupported(method) {
  const { status, error } = await run('--method', method);
  assert.equal(status, 1);
  assert.match(error, new RegExp(`^Unsupported method: ${method}\\.`));
  return error.split('. ')[0];
}

/**
 * What it says to a call that asks for what it has not declared: in the legacy era a tool's error, in the
 * modern one the server's.
 */
async function undeclared(capability, tool, args = {}) {
  const { result, error } = await run('--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args));
  const text = result ? result.content[0].text : error;
  assert.ok(text.includes(capability), text);
  assert.equal(result?.isError, era === 'modern' ? undefined : true);
  return text;
}

await step('connect', async () => {
  const { protocolVersion, serverInfo, capabilities, instructions } = await result('initialize');
  spoke(protocolVersion);
  assert.equal(protocolVersion, era === 'modern' ? '2026-07-28' : '2025-11-25');
  assert.deepEqual(serverInfo, fixture.server);
  assert.deepEqual(capabilities, fixture.capabilities);
  assert.equal(instructions, fixture.instructions);
});
if (era === 'legacy') await cannot('ping', () => unsupported('ping'));
await step('list tools', async () => {
  const { tools } = await result('tools/list');
  assert.deepEqual(tools.map((tool) => tool.name), fixture.tools);
  assert.deepEqual(tools.find((tool) => tool.name === 'add'), fixture.add);
});
await step('list resources', async () => assert.deepEqual((await result('resources/list')).resources, fixture.resources));
await step('list templates', async () =>
  assert.deepEqual((await result('resources/templates/list')).resourceTemplates, fixture.templates));
await step('list prompts', async () => {
  const { prompts } = await result('prompts/list');
  assert.deepEqual(prompts.map((prompt) => prompt.name), fixture.prompts);
  assert.deepEqual(prompts.find((prompt) => prompt.name === 'greet'), fixture.greet);
});
await step('call', async () => {
  assert.deepEqual(await call('add', { a: 2, b: 3 }), {
    content: [{ type: 'text', text: '{"sum":5}' }],
    structuredContent: { sum: 5 },
  });
  assert.deepEqual(await call('big', { n: 300_000 }), { content: [{ type: 'text', text: 'x'.repeat(300_000) }] });
});
await step('calls at the same time', async () => {
  const load = ['--load', '--load-requests', '50', '--load-concurrency', '50'];
  const { result } = await run('--method', 'tools/call', '--tool-name', 'add', '--tool-args-json', '{"a":2,"b":3}', ...load);
  const { requests, ok, toolErrors, errors } = result;
  assert.deepEqual({ requests, ok, toolErrors, errors }, { requests: 50, ok: 50, toolErrors: 0, errors: 0 });
});
await step('content', async () => {
  const image = { type: 'image', data: fixture.pixel, mimeType: 'image/png' };
  assert.deepEqual(await call('test_image_content'), { content: [image] });
  assert.deepEqual(await call('test_resource_link'), {
    content: [{ type: 'resource_link', uri: 'file://docs/readme', name: 'readme', mimeType: 'text/plain' }],
  });
});
await step('errors', async () => {
  const failed = await run('--method', 'tools/call', '--tool-name', 'test_error_handling');
  assert.deepEqual({ ...failed, result: plain(failed.result) }, {
    status: 5,
    result: { content: [{ type: 'text', text: 'This tool intentionally returns an error for testing.' }], isError: true },
    error: "Tool 'test_error_handling' returned isError:true.",
  });
  const panic = await run('--method', 'tools/call', '--tool-name', 'boom');
  assert.equal(panic.status, 1);
  assert.match(panic.error, /Internal error \(correlation id [a-z0-9]+\)$/);
  const missing = await run('--method', 'resources/read', '--uri', 'test://nowhere');
  assert.equal(missing.status, 1);
  assert.match(missing.error, /test:\/\/nowhere/);
});
await step('read', async () => {
  assert.deepEqual((await result('resources/read', '--uri', 'test://static-binary')).contents, [
    { uri: 'test://static-binary', mimeType: 'image/png', blob: fixture.pixel },
  ]);
  const { contents } = await result('resources/read', '--uri', 'test://template/7/data');
  assert.equal(contents[0].text, '{"id":"7","templateTest":true,"data":"The record of this id."}');
});
await step('prompt', async () =>
  assert.deepEqual(await result('prompts/get', '--prompt-name', 'greet', '--prompt-args', 'name=Ada'), {
    description: 'A greeting for Ada',
    messages: [{ role: 'user', content: { type: 'text', text: 'Greet Ada in one sentence.' } }],
  }));
await cannot('complete', () => unsupported('completion/complete'));
await cannot('progress', async () => {
  assert.deepEqual(await call('slow', { ms: 300 }), { content: [{ type: 'text', text: 'done' }] });
  return 'prints the result alone';
});
await cannot('progress at once', async () => {
  await call('test_tool_with_progress');
  return 'prints the result alone';
});
await cannot('cancel', () => unsupported('notifications/cancelled'));
await cannot('log', async () => {
  if (era === 'legacy') assert.deepEqual(await result('logging/setLevel', '--log-level', 'error'), {});
  assert.deepEqual(await call('log'), { content: [{ type: 'text', text: 'logged' }] });
  return 'prints the result alone';
});
await cannot('subscribe', () => unsupported(era === 'modern' ? 'subscriptions/listen' : 'resources/subscribe'));
await cannot('elicit', () => undeclared('elicitation.form', 'ask'));
await cannot('elicit with defaults', () => undeclared('elicitation.form', 'test_elicitation_sep1034_defaults'));
await cannot('sample', () => undeclared('sampling', 'test_sampling', { prompt: 'Say hi.' }));
await step('roots', async () =>
  assert.deepEqual(await call('test_input_required_result_list_roots'), { content: [{ type: 'text', text: 'Roots: ' }] }));
await cannot('ask several times', () => undeclared('elicitation.form', 'interview'));
await cannot('ask in a prompt', async () => {
  const { error } = await run('--method', 'prompts/get', '--prompt-name', 'test_input_required_result_prompt');
  assert.match(error, /elicitation\.form/);
  return error;
});
if (transport === 'HTTP') await overHTTP();
await cannot('close', async () => 'each step has a connection of its own');

async function overHTTP() {
  if (era === 'modern') {
    await step('mirrored headers', async () =>
      assert.deepEqual(await call('test_x_mcp_header', { region: 'Zürich' }), {
        content: [{ type: 'text', text: 'region: Zürich' }],
      }));
    await step('error statuses', () => undeclared('elicitation.form', 'ask')); // in a body of 400
  } else {
    await step('resume', async () =>
      assert.deepEqual(await call('test_reconnection'), { content: [{ type: 'text', text: 'The answer has come through.' }] }));
    await cannot('end the session', async () => 'each step has a connection of its own');
  }
}
