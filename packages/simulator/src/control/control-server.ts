import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { Simulator } from '../http-server';
import type { Fault } from '../transport/faults';
import { actions } from './actions';

const MAX_BODY = 1024 ** 2;

const actionRequest = z.object({ cluster: z.string().optional(), action: z.string(), args: z.unknown() });

const faultRequest = z.object({
  match: z.object({
    cluster: z.string().optional(),
    node: z.string().optional(),
    method: z.string().optional(),
    /** Exact path, or the path with placeholders; `path_regex` for anything else. */
    path: z.string().optional(),
    path_regex: z.string().optional(),
  }),
  fault: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('delay'), ms: z.number() }),
    z.object({
      kind: z.literal('respond'),
      status: z.int().min(100).max(999),
      reason: z.string().optional(),
      body: z.string().optional(),
      contentType: z.string().optional(),
      apply: z.boolean().optional(),
    }),
    z.object({ kind: z.enum(['html-502', 'garbage', 'hang']) }),
    z.object({ kind: z.literal('truncate'), bytes: z.int().optional() }),
    z.object({ kind: z.literal('reset'), when: z.enum(['before', 'after']) }),
  ]),
  times: z.int().optional(),
  skip: z.int().optional(),
});

/** What a process that started the simulator needs to know to use it. */
export const describeSimulator = (simulator: Simulator) => ({
  clusters: simulator.clusters.map((cluster) => ({
    name: cluster.name,
    version: cluster.state.version.version,
    tokens: cluster.tokens,
    nodes: cluster.nodes.map(({ name, url, ip, port, fingerprint256 }) => ({ name, url, ip, port, fingerprint256 })),
    ca_pem: cluster.state.authority.caPem,
  })),
});

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > MAX_BODY) throw new Error('body too large');
    chunks.push(chunk as Buffer);
  }
  return size === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

async function handleControlRequest(simulator: Simulator, request: IncomingMessage): Promise<unknown> {
  switch (`${request.method} ${(request.url ?? '').split('?')[0]}`) {
    case 'GET /':
      return { ...describeSimulator(simulator), actions: Object.keys(actions).sort() };
    case 'GET /log':
      return { counts: simulator.log.counts(), entries: simulator.log.entries().slice(-500) };
    case 'DELETE /log':
      return simulator.log.reset();
    case 'POST /actions': {
      const { cluster, action: name, args } = actionRequest.parse(await readJson(request));
      const run = actions[name];
      if (!run) throw new Error(`no action ${name}`);
      return await run(simulator.cluster(cluster), args);
    }
    case 'POST /faults': {
      const { match, fault, times, skip } = faultRequest.parse(await readJson(request));
      const { path_regex: regex, ...rest } = match;
      simulator.onRequest(regex === undefined ? rest : { ...rest, path: new RegExp(regex) }, fault as Fault, {
        times,
        skip,
      });
      return null;
    }
    case 'DELETE /faults':
      return simulator.clearFaults();
    case 'POST /advance':
      return simulator.clock.advance(z.object({ ms: z.number().min(0) }).parse(await readJson(request)).ms);
    default:
      return undefined;
  }
}

/**
 * Opens the control endpoint on 127.0.0.1: plain HTTP and JSON, for tests in other processes. It is a listener of its
 * own and shares nothing with the simulated API.
 */
export async function startControlServer(
  simulator: Simulator,
  port = 0,
): Promise<{ url: string; close(): Promise<void> }> {
  const reply = (response: ServerResponse, status: number, body: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  const server: Server = createServer((request, response) => {
    handleControlRequest(simulator, request).then(
      (result) =>
        result === undefined && request.method === 'GET'
          ? reply(response, 404, { error: 'no such control call' })
          : reply(response, 200, { result: result ?? null }),
      (error: unknown) => reply(response, 400, { error: error instanceof Error ? error.message : String(error) }),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
