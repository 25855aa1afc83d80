import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Received = { headers: IncomingHttpHeaders; body: Record<string, unknown>; text: string };
type Answer = (response: ServerResponse, request: Received) => void;

/** A webhook's receiver on this machine that keeps what it gets and answers as told; 204 at first. */
export async function startWebhookReceiver() {
  const received: Received[] = [];
  let answer: Answer = (response) => response.writeHead(204).end();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const one = { headers: request.headers, text, body: JSON.parse(text) as Record<string, unknown> };
      received.push(one);
      answer(response, one);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks/SECRET-PATH?token=SECRET-QUERY`,
    received,
    answer: (next: Answer) => {
      answer = next;
    },
    status: (code: number) => {
      answer = (response) => response.writeHead(code).end();
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
