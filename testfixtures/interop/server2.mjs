// A small server on the TypeScript server 2.x (@modelcontextprotocol/server), for clients to be
// tried out on. It serves both eras.
//
//   node server2.mjs          on standard input and output
//   node server2.mjs http     at the port that PORT says, or a free one, which it names on standard error
//
// It has one of everything: what is registered here is what the client has to find.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import {
  acceptedContent, completable, createMcpHandler, inputRequired, inputResponse, isLegacyRequest, McpServer, ResourceTemplate,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const text = (words) => ({ content: [{ type: 'text', text: words }] });

/** The bytes 00 01 02 FF. */
const bytes = 'AAEC/w==';

/** How often the tool touch was called, which is what the resource note://touched holds. */
let touched = 0;

/**
 * Makes a server. changed tells subscribers over HTTP of changes in the modern era, where a server
 * lives for one request; everywhere else the server itself does.
 */
function build(changed) {
  const server = new McpServer(
    { name: 'server2', version: '2.0.0', title: 'A small server' },
    { capabilities: { logging: {}, resources: { subscribe: true } }, instructions: 'Call add first.' },
  );
  tools(server);
  asking(server);
  changing(server, changed);
  resources(server);
  prompts(server);
  return server;
}

function tools(server) {
  server.registerTool('add', {
    title: 'Add',
    description: 'Adds two integers.',
    inputSchema: z.object({ a: z.int(), b: z.int() }),
    outputSchema: z.object({ sum: z.int() }),
    annotations: { readOnlyHint: true },
  }, ({ a, b }) => ({ ...text(`${a + b}`), structuredContent: { sum: a + b } }));

  server.registerTool('picture', { description: 'Gives one of each kind of content.' }, () => ({
    content: [
      { type: 'image', data: bytes, mimeType: 'image/png' },
      { type: 'audio', data: bytes, mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'note://one', name: 'one', mimeType: 'text/plain' },
      { type: 'resource', resource: { uri: 'note://one', mimeType: 'text/plain', text: 'the first note' } },
    ],
  }));

  server.registerTool('fail', { description: 'Fails.' }, () => ({ ...text('as it was asked to'), isError: true }));

  server.registerTool('count', {
    description: 'Counts to n, with a report and a log message at each step.',
    inputSchema: z.object({ n: z.int() }),
  }, async ({ n }, { mcpReq }) => {
    for (let i = 1; i <= n; i++) {
      await mcpReq.log('info', `step ${i}`, 'count');
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken !== undefined) {
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: i, total: n } });
      }
    }
    return text(`counted to ${n}`);
  });

  server.registerTool('wait', { description: 'Says that it has begun, and waits until it is cancelled.' }, async ({ mcpReq }) => {
    const { progressToken } = mcpReq._meta;
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    await new Promise((done) => mcpReq.signal.addEventListener('abort', done));
    return text('cancelled');
  });
}

/** The tools that ask. In the legacy era the library turns what they need into requests. */
function asking(server) {
  server.registerTool('greet', { description: 'Asks for a name.' }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'who');
    if (answer.kind === 'missing') {
      const requestedSchema = z.object({ name: z.string(), loud: z.boolean().default(false) });
      return inputRequired({
        inputRequests: { who: inputRequired.elicit({ message: 'What is your name?', requestedSchema }) },
        requestState: 'state "\u2028" 1',
      });
    }
    const content = acceptedContent(mcpReq.inputResponses, 'who');
    if (content === undefined) return text(`no name: ${answer.action}`);
    return text(`${content.loud ? 'HELLO' : 'Hello'} ${content.name}, ${mcpReq.requestState() ?? 'no state'}`);
  });

  server.registerTool('page', { description: 'Asks the user to open a page.' }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'page');
    if (answer.kind === 'elicit') return text(`opened: ${answer.action}`);
    return inputRequired({
      inputRequests: { page: inputRequired.elicitUrl({ message: 'Look at this.', url: 'https://example.com/a' }) },
    });
  });

  server.registerTool('sample', { description: 'Asks the model of the client.' }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'model');
    if (answer.kind === 'sampling') return text(`${answer.result.model} says ${answer.result.content.text}`);
    return inputRequired({
      inputRequests: {
        model: inputRequired.createMessage({
          messages: [{ role: 'user', content: { type: 'text', text: 'Say hi.' } }], maxTokens: 10,
        }),
      },
    });
  });

  server.registerTool('roots', { description: 'Asks for the roots of the client.' }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'roots');
    if (answer.kind === 'roots') return text(answer.roots.map((root) => root.uri).join(' '));
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  });
}

function changing(server, changed) {
  server.registerTool('touch', { description: 'Changes note://touched, and the list of tools.' }, async () => {
    touched++;
    if (changed) {
      changed.resourceUpdated('note://touched');
      changed.toolsChanged();
    } else {
      await server.server.sendResourceUpdated({ uri: 'note://touched' });
      server.sendToolListChanged();
    }
    return text(`touched ${touched} times`);
  });
  // The library has no handlers of its own for the subscriptions of the legacy era.
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
}

function resources(server) {
  server.registerResource('one', 'note://one', { title: 'One', description: 'A note.', mimeType: 'text/plain' },
    (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'the first note' }] }));
  server.registerResource('touched', 'note://touched', { mimeType: 'text/plain' },
    (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: `${touched}` }] }));
  server.registerResource('blob', 'note://blob', { mimeType: 'application/octet-stream' },
    (uri) => ({ contents: [{ uri: uri.href, mimeType: 'application/octet-stream', blob: bytes }] }));
  const template = new ResourceTemplate('note://by/{name}', {
    list: undefined,
    complete: { name: (value) => ['ada', 'alan', 'grace'].filter((name) => name.startsWith(value)) },
  });
  server.registerResource('by', template, { description: 'The note of somebody.', mimeType: 'text/plain' },
    (uri, { name }) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: `the note of ${name}` }] }));
}

function prompts(server) {
  const style = completable(z.string(), (value) => ['formal', 'friendly'].filter((style) => style.startsWith(value))).optional();
  server.registerPrompt('letter', {
    title: 'Letter',
    description: 'Asks for a letter.',
    argsSchema: z.object({ to: z.string().describe('Who gets it.'), style }),
  }, ({ to, style }) => ({
    description: `A letter to ${to}`,
    messages: [{ role: 'user', content: { type: 'text', text: `Write a ${style ?? 'short'} letter to ${to}.` } }],
  }));
}

/** Serves both eras at one URL: the modern one without sessions, the legacy one with them. */
function serveHTTP() {
  const handler = createMcpHandler(() => build(handler.notify), { legacy: 'reject' });
  const modern = toNodeHandler(handler);
  const sessions = new Map();

  async function legacy(request, response, body) {
    const known = sessions.get(request.headers['mcp-session-id']);
    if (known) return known.handleRequest(request, response, body);
    if (request.headers['mcp-session-id']) return response.writeHead(404).end();
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    transport.onclose = () => sessions.delete(transport.sessionId);
    await build().connect(transport);
    return transport.handleRequest(request, response, body);
  }

  const server = createServer(async (request, response) => {
    try {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
      if (await isLegacyRequest(await toWebRequest(request, body), body)) return await legacy(request, response, body);
      return await modern(request, response, body);
    } catch (error) {
      console.error(error);
      if (!response.headersSent) response.writeHead(400).end();
    }
  });
  server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => console.error(`server2 2.0.0 ready on http://127.0.0.1:${server.address().port}/mcp: both eras`));
  process.on('SIGTERM', () => process.exit(0));
}

if (process.argv[2] === 'http') serveHTTP();
else serveStdio(() => build());
