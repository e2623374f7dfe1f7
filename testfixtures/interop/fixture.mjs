// What mcp-everything has, in the order in which it tells of it.

export const tools = [
  'test_simple_text', 'test_image_content', 'test_audio_content', 'test_embedded_resource', 'test_resource_link',
  'test_multiple_content_types', 'echo', 'add', 'big', 'boom', 'test_error_handling', 'json_schema_2020_12_tool',
  'test_x_mcp_header', 'slow', 'stats', 'test_reconnection', 'test_tool_with_progress', 'log', 'test_tool_with_logging',
  'test_logging_tool', 'touch', 'test_trigger_tool_change', 'test_trigger_prompt_change', 'ask', 'open_page',
  'test_sampling', 'test_elicitation', 'test_elicitation_sep1034_defaults', 'test_elicitation_sep1330_enums', 'test_missing_capability',
  'test_streaming_elicitation', 'interview', 'test_input_required_result_elicitation', 'test_input_required_result_sampling',
  'test_input_required_result_list_roots', 'test_input_required_result_request_state',
  'test_input_required_result_multiple_inputs', 'test_input_required_result_multi_round',
  'test_input_required_result_tampered_state', 'test_input_required_result_capabilities',
];

/** The tool add, whole. */
export const add = {
  name: 'add',
  title: 'Add',
  description: 'Adds two integers.',
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'integer', description: 'one number' }, b: { type: 'integer', description: 'the other' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  outputSchema: { type: 'object', properties: { sum: { type: 'integer', description: 'a and b together' } }, required: ['sum'] },
  annotations: { readOnlyHint: true, idempotentHint: true },
};

export const resources = [
  {
    uri: 'test://static-text', name: 'static-text', title: 'Static text',
    description: 'A text that never changes.', mimeType: 'text/plain',
  },
  {
    uri: 'test://static-binary', name: 'static-binary', title: 'Static picture',
    description: 'One red pixel.', mimeType: 'image/png',
  },
  {
    uri: 'test://watched-resource', name: 'watched-resource', title: 'Watched text',
    description: 'How often the tool touch was called.', mimeType: 'text/plain',
  },
  {
    uri: 'file://docs/readme', name: 'readme', title: 'Read me',
    description: 'What this is. The tool touch updates it.', mimeType: 'text/plain',
  },
];

export const templates = [
  {
    uriTemplate: 'test://template/{id}/data', name: 'template-data',
    description: 'A record of this id.', mimeType: 'application/json',
  },
  {
    uriTemplate: 'file://docs/{name}', name: 'docs',
    description: 'A document of this name.', mimeType: 'text/plain',
  },
];

export const prompts = [
  'test_input_required_result_prompt', 'test_simple_prompt', 'test_prompt_with_arguments',
  'test_prompt_with_embedded_resource', 'test_prompt_with_image', 'greet',
];

/** The prompt greet, but for the title of its argument, which all of these clients leave out. */
export const greet = {
  name: 'greet',
  title: 'Greeting',
  description: 'Asks a model to greet somebody.',
  arguments: [{ name: 'name', description: 'Who is greeted.', required: true }],
};

/** The picture of one red pixel, in base64. */
export const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC';

/** What the server says of itself when a client connects. */
export const server = { name: 'everything-server', title: 'Everything', version: '1.0.0' };
export const instructions = 'A server for trying out clients: call what you like, nothing here does harm.';
export const capabilities = {
  completions: {},
  logging: {},
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  tools: { listChanged: true },
};

/** The result without what the modern era adds to each, which is not the tool's or resource's own. */
export function plain(result) {
  const { _meta, resultType, ttlMs, cacheScope, ...rest } = result;
  return rest;
}
