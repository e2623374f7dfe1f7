// The part of the walk in which the server says something unasked: progress, log messages,
// changes. To cancel is here too, as it is what one does with a call that goes on.

import assert from 'node:assert/strict';
import { cannot, refusal, step, until } from './report.mjs';

const readme = 'file://docs/readme';
const logLevel = 'io.modelcontextprotocol/logLevel';

/** Has the client keep what it hears. */
export function prepare(w) {
  w.heard = { logs: [], updated: [], changes: 0 };
  w.sdk.hear(w.client, 'notifications/message', (params) => void w.heard.logs.push(params));
  w.sdk.hear(w.client, 'notifications/resources/updated', ({ uri }) => void w.heard.updated.push(uri));
  w.sdk.hear(w.client, 'notifications/tools/list_changed', () => void w.heard.changes++);
}

export async function steps(w) {
  await step('progress', () => progress(w));
  if (w.transportName === 'HTTP') await step('progress at once', () => atOnce(w));
  else await cannot('progress at once', () => strays(w));
  await step('cancel', () => cancel(w));
  await step('log', () => log(w));
  await step('subscribe', () => (w.era === 'modern' ? listen(w) : subscribe(w)));
}

/** The call takes longer than the time-out, which the server's reports put off. Without that, it is over. */
async function progress(w) {
  const slow = { ms: 2500 };
  const reports = [];
  const options = { timeout: 1250, onprogress: (report) => reports.push(report) };
  const result = await w.call('slow', slow, { ...options, resetTimeoutOnProgress: true });
  assert.deepEqual(result, { content: [{ type: 'text', text: 'done' }] });
  assert.ok(reports.length > 1, `${reports.length} reports`);
  reports.forEach((report, i) => {
    assert.ok(i === 0 || report.progress > reports[i - 1].progress, JSON.stringify(reports));
    assert.deepEqual(report, { progress: report.progress, total: 2500, message: 'waiting' });
  });

  const before = await stats(w);
  const late = await refusal(w.call('slow', slow, options));
  assert.equal(late.code, w.sdk.timeout);
  await sawOneCancelled(w, before);
}

const atOnceReports = [0, 50, 100].map((progress) => ({ progress, total: 100, message: 'working' }));

/** Reports that come just before the answer. */
async function atOnce({ call }) {
  const reports = [];
  await call('test_tool_with_progress', undefined, { onprogress: (report) => reports.push(report) });
  assert.deepEqual(reports, atOnceReports);
}

/** The same, where the client has forgotten the call before it looks at reports that came in one read with the answer. */
async function strays({ call, client }) {
  const lost = [];
  client.onerror = (error) => lost.push(error.message);
  for (let tries = 0; tries < 10 && lost.length === 0; tries++) {
    const reports = [];
    await call('test_tool_with_progress', undefined, { onprogress: (report) => reports.push(report) });
    assert.equal(reports.length + lost.length, atOnceReports.length);
  }
  client.onerror = undefined;
  return lost.find((message) => message.includes('unknown token'));
}

async function cancel(w) {
  const before = await stats(w);
  const abort = new AbortController();
  const call = refusal(w.call('slow', { ms: 600_000 }, { signal: abort.signal, onprogress: () => abort.abort('enough') }));
  const error = await call;
  assert.match(String(error?.message ?? error), /enough/);
  await sawOneCancelled(w, before);
}

/** The server's own count of the calls of slow. */
async function stats({ call }) {
  return (await call('stats')).structuredContent;
}

async function sawOneCancelled(w, before) {
  await until(async () => (await stats(w)).cancelled > before.cancelled);
  assert.deepEqual(await stats(w), { ...before, started: before.started + 1, cancelled: before.cancelled + 1 });
}

/** The level is the session's in the legacy era, and each request's own in the modern one. */
async function log(w) {
  const { client, era, heard, sdk } = w;
  const wanted = ['error', 'critical', 'alert', 'emergency'].map((level) => ({
    level,
    logger: 'everything',
    data: { level, text: `This is a message of the level ${level}.` },
  }));
  if (era === 'modern') {
    await sdk.call(client, { name: 'log', _meta: { [logLevel]: 'error' } });
    await until(() => heard.logs.length >= wanted.length);
    await w.call('log'); // without a level, which asks for no messages
    assert.equal((await refusal(client.setLoggingLevel('error'))).code, sdk.notOfThisEra);
  } else {
    assert.deepEqual(await client.setLoggingLevel('error'), {});
    await w.call('log');
    await until(() => heard.logs.length >= wanted.length);
  }
  await w.call('stats');
  assert.deepEqual(heard.logs, wanted);
}

async function subscribe(w) {
  const { client } = w;
  assert.deepEqual(await client.subscribeResource({ uri: readme }), {});
  await firstTouch(w);
  assert.deepEqual(await client.unsubscribeResource({ uri: readme }), {});
  await laterTouches(w);
}

/** The modern era has one request for all of it, which lasts as long as one wants to hear. */
async function listen(w) {
  const { client } = w;
  assert.equal((await refusal(client.subscribeResource({ uri: readme }))).code, w.sdk.notOfThisEra);
  const all = { toolsListChanged: true, resourceSubscriptions: [readme] };
  const both = await client.listen(all);
  assert.deepEqual(both.honoredFilter, all);
  await firstTouch(w);
  await both.close();
  assert.equal(await both.closed, 'local');

  const tools = await client.listen({ toolsListChanged: true });
  assert.deepEqual(tools.honoredFilter, { toolsListChanged: true });
  await laterTouches(w);
  await tools.close();
}

/** The tools, the readme and the watched resource change. The last of them nobody has asked for. */
async function firstTouch(w) {
  const { client, heard, sdk } = w;
  assert.deepEqual(heard, { ...heard, updated: [], changes: 0 });
  await w.call('touch');
  await until(() => heard.updated.length > 0 && heard.changes > 0);
  assert.deepEqual(heard, { ...heard, updated: [readme], changes: 1 });
  const { contents } = await client.readResource({ uri: readme });
  assert.equal(contents[0].text, 'This server does everything, for clients that want to try it.\nTouched 1 times.');
  const tools = await sdk.list(client, 'listTools', 'tools');
  assert.equal(tools.at(-1).name, 'touched');
}

/** Two more, of which only the list is told. What the first of them set off came before the second. */
async function laterTouches(w) {
  const { heard } = w;
  for (const changes of [2, 3]) {
    await w.call('touch');
    await until(() => heard.changes >= changes);
  }
  assert.deepEqual(heard, { ...heard, updated: [readme], changes: 3 });
}
