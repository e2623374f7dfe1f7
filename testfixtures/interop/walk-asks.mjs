// The part of the walk in which the server asks the client. In the legacy era it sends
// requests; in the modern one its result asks, and the client tries again with the answers.

import assert from 'node:assert/strict';
import { step } from './report.mjs';

/** Has the client answer what the steps have laid ready, and keep what it was asked. */
export function prepare(w) {
  w.asked = [];
  w.answers = [];
  for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list']) {
    w.sdk.answer(w.client, method, (params) => {
      w.asked.push({ method, ...withoutMeta(params) });
      const at = w.answers.findIndex((answer) => answer.to === method);
      assert.ok(at >= 0, `nobody has an answer for ${method}`);
      return w.answers.splice(at, 1)[0].result;
    });
  }
}

export async function steps(w) {
  await step('elicit', () => elicit(w));
  await step('elicit with defaults', () => elicitDefaults(w));
  await step('sample', () => sample(w));
  await step('roots', () => roots(w));
  await step('ask several times', () => several(w));
  await step('ask in a prompt', () => inPrompt(w));
}

function withoutMeta(params = {}) {
  const { _meta, ...rest } = params;
  return rest;
}

const filled = (content) => ({ to: 'elicitation/create', result: { action: 'accept', content } });
const left = (action) => ({ to: 'elicitation/create', result: { action } });
const sampled = (text) => ({
  to: 'sampling/createMessage',
  result: { role: 'assistant', model: 'none', content: { type: 'text', text } },
});
const given = (...uris) => ({ to: 'roots/list', result: { roots: uris.map((uri) => ({ uri })) } });

/** Calls a tool with answers laid ready. All of them have to be used. Returns the text, and what was asked. */
async function called(w, name, args, ...answers) {
  w.asked.length = 0;
  w.answers = answers;
  const result = await w.call(name, args);
  assert.equal(result.isError, undefined, result.content[0].text);
  assert.deepEqual(w.answers, [], 'answers that nobody asked for');
  return { text: result.content[0].text, asked: [...w.asked] };
}

/** The question for a form. */
function form(message, properties, required = Object.keys(properties)) {
  return {
    method: 'elicitation/create',
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties, required },
  };
}

const nameForm = (message) => form(message, { name: { type: 'string', description: 'your name' } });

async function elicit(w) {
  const accepted = await called(w, 'ask', {}, filled({ name: 'Ada' }));
  assert.deepEqual(accepted, { text: 'hello Ada', asked: [nameForm('What is your name?')] });
  assert.equal((await called(w, 'ask', {}, left('decline'))).text, 'declined');
  assert.equal((await called(w, 'ask', {}, left('cancel'))).text, 'cancelled');
}

/** The user accepts as it stands, and the client puts in the defaults of the form. */
async function elicitDefaults(w) {
  const { text, asked } = await called(w, 'test_elicitation_sep1034_defaults', {}, filled({}));
  const [what, values] = text.split(/: (.*)/s);
  assert.equal(what, 'Elicitation completed');
  assert.deepEqual(JSON.parse(values), { name: 'John Doe', age: 30, score: 95.5, status: 'active', verified: true });
  assert.deepEqual(asked[0].requestedSchema.properties.status, {
    type: 'string', description: 'What the user does', enum: ['active', 'inactive', 'pending'], default: 'active',
  });
}

async function sample(w) {
  const { text, asked } = await called(w, 'test_sampling', { prompt: 'Say hi.' }, sampled('Hi!'));
  assert.equal(text, 'LLM response: Hi!');
  assert.deepEqual(asked, [{
    method: 'sampling/createMessage',
    messages: [{ role: 'user', content: { type: 'text', text: 'Say hi.' } }],
    maxTokens: 100,
  }]);
}

async function roots(w) {
  const got = await called(w, 'test_input_required_result_list_roots', {}, given('file:///work', 'file:///tmp/%20x'));
  assert.deepEqual(got, { text: 'Roots: file:///work, file:///tmp/%20x', asked: [{ method: 'roots/list' }] });
}

async function several(w) {
  const colours = { colour: { type: 'string', description: 'the colour you like', enum: ['red', 'green', 'blue'] } };
  const interview = await called(w, 'interview', {}, filled({ name: 'Ada' }), filled({ colour: 'green' }), filled({ ok: true }));
  assert.deepEqual(interview, {
    text: 'number 1: Ada likes green, sure: true',
    asked: [
      nameForm('What is your name?'),
      form('Ada, which colour do you like?', colours),
      form('Are you sure of green?', { ok: { type: 'boolean', description: 'whether to go on' } }),
    ],
  });
  const atOnce = await called(
    w, 'test_input_required_result_multiple_inputs', {}, filled({ name: 'Ada' }), sampled('Paris'), given('file:///work'));
  assert.equal(atOnce.text, 'Ada, the model says: Paris; roots: file:///work');
  assert.deepEqual(atOnce.asked.map((question) => question.method).sort(), [
    'elicitation/create', 'roots/list', 'sampling/createMessage',
  ]);
  const state = await called(w, 'test_input_required_result_request_state', {}, filled({ ok: true }));
  assert.equal(state.text, 'state-ok: asked');
}

async function inPrompt(w) {
  w.answers = [filled({ context: 'the sea' })];
  const { messages } = await w.client.getPrompt({ name: 'test_input_required_result_prompt' });
  assert.deepEqual(messages, [{ role: 'user', content: { type: 'text', text: 'Use this context: the sea' } }]);
}
