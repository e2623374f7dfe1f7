// The TypeScript client 2.x (@modelcontextprotocol/client) on the walk.
//
//   node client2.mjs ERA HTTP URL
//   node client2.mjs legacy HTTP+SSE URL
//   node client2.mjs ERA stdio COMMAND ARGUMENT...
//
// ERA is legacy or modern. The modern one is not demanded: the client asks the server, and
// has to find out by itself.

import { Client, SdkErrorCode, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { walk } from './walk.mjs';

const mode = { legacy: 'legacy', modern: 'auto' }[process.argv[2]];

const sdk = {
  notFound: -32602, // in the legacy era, too, where it has been told -32002
  timeout: SdkErrorCode.RequestTimeout,
  notOfThisEra: SdkErrorCode.MethodNotSupportedByProtocolVersion,
  client: (capabilities) => new Client({ name: 'interop', version: '2' }, { capabilities, versionNegotiation: { mode } }),
  stdio: (command) => new StdioClientTransport(command),
  http: (url, options) => new StreamableHTTPClientTransport(url, options),
  sse: (url) => new SSEClientTransport(url),
  version: (client) => client.getNegotiatedProtocolVersion(),
  answer: (client, method, handler) => client.setRequestHandler(method, (request) => handler(request.params)),
  hear: (client, method, handler) => client.setNotificationHandler(method, (heard) => handler(heard.params)),
  call: (client, params, options) => client.callTool(params, options),

  // This generation walks through the pages by itself.
  list: async (client, what, member) => (await client[what]())[member],
};

await walk(sdk, process.argv.slice(2));
