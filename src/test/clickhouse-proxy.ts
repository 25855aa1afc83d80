import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * `up`: everything is passed on. `away`: connections are closed. `silent`: nothing is answered. `forgetful`: inserts are passed on, and
 * the connection is closed instead of the answer.
 */
export type ProxyMode = 'up' | 'away' | 'silent' | 'forgetful';

export type ClickhouseProxy = {
  url: string;
  mode: ProxyMode;
  /** Inserts that were passed on and done. */
  inserts: number;
  /** Called when ClickHouse has done an insert, before its client learns of it. */
  onInsert: () => void | Promise<void>;
  stop: () => Promise<void>;
};

/** Passes on what a client and its ClickHouse say, and fails as networks and servers do. */
export async function startClickhouseProxy(target: string): Promise<ClickhouseProxy> {
  const server = createServer((incoming, outgoing) => {
    if (proxy.mode === 'away') return void incoming.socket.destroy();
    if (proxy.mode === 'silent') return;
    const isInsert = /query=INSERT/i.test(incoming.url ?? '');
    const { host: _, ...headers } = incoming.headers;
    const onward = request(`${target}${incoming.url}`, { method: incoming.method, headers }, async (answer) => {
      const parts: Buffer[] = [];
      for await (const part of answer) parts.push(part);
      if (isInsert) {
        proxy.inserts += 1;
        await proxy.onInsert();
      }
      if (isInsert && proxy.mode === 'forgetful') return incoming.socket.destroy();
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers).end(Buffer.concat(parts));
    });
    onward.on('error', () => incoming.socket.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: ClickhouseProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mode: 'up',
    inserts: 0,
    onInsert: () => undefined,
    stop: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return proxy;
}
