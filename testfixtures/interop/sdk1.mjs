// The TypeScript SDK 1.x (@modelcontextprotocol/sdk) on the walk.
//
//   node sdk1.mjs legacy HTTP URL
//   node sdk1.mjs legacy HTTP+SSE URL
//   node sdk1.mjs legacy stdio COMMAND ARGUMENT...

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import { cannot } from './report.mjs';
import { walk } from './walk.mjs';

// This generation names methods by their schemas.
const schemas = {
  'elicitation/create': types.ElicitRequestSchema,
  'sampling/createMessage': types.CreateMessageRequestSchema,
  'roots/list': types.ListRootsRequestSchema,
  'notifications/message': types.LoggingMessageNotificationSchema,
  'notifications/resources/updated': types.ResourceUpdatedNotificationSchema,
  'notifications/tools/list_changed': types.ToolListChangedNotificationSchema,
};

// The client tells nobody but its transport which revision it has settled on.
let version;
function listening(transport) {
  const told = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (settled) => {
    version = settled;
    told?.(settled);
  };
  return transport;
}

const sdk = {
  timeout: types.ErrorCode.RequestTimeout,
  notFound: -32002,
  client: (capabilities) => new Client({ name: 'interop', version: '1' }, { capabilities }),
  stdio: (command) => listening(new StdioClientTransport(command)),
  http: (url, options) => listening(new StreamableHTTPClientTransport(url, options)),
  sse: (url) => listening(new SSEClientTransport(url)),
  version: () => version,
  answer: (client, method, handler) => client.setRequestHandler(schemas[method], (request) => handler(request.params)),
  hear: (client, method, handler) => client.setNotificationHandler(schemas[method], (heard) => handler(heard.params)),
  call: (client, params, options) => client.callTool(params, undefined, options),

  // Each page is asked for by itself.
  async list(client, what, member) {
    const all = [];
    let cursor;
    do {
      const page = await client[what]({ cursor });
      all.push(...page[member]);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return all;
  },
};

const known = types.SUPPORTED_PROTOCOL_VERSIONS;
await cannot('modern era', async () => !known.includes('2026-07-28') && known);
await walk(sdk, process.argv.slice(2));
