import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { handleRequest } from '@/server/rest/handle-request';
import { routes } from '@/server/rest/routes';

// The REST surface in a process of its own, without the pages, for tests that kill it. Says its port when it serves.
const server = createServer(async (incoming, outgoing) => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method,
    headers,
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
  const response = await handleRequest(routes, request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (!response.body) return void outgoing.end();
  const body = Readable.fromWeb(response.body as WebStream);
  // A client that goes ends what is written for it.
  outgoing.on('close', () => body.destroy());
  body.on('error', () => outgoing.destroy());
  body.pipe(outgoing);
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit(0));
