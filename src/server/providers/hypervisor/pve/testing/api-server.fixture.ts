import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createClusterAuthority, type NodeCertificate } from '@fabric/simulator/pki/cluster-authority';
import { onTestFinished } from 'vitest';

export const authority = createClusterAuthority('test-cluster', new Date());
export const otherAuthority = createClusterAuthority('other-cluster', new Date());
export const issueNodeCertificate = (name = 'pve1', ca = authority): NodeCertificate =>
  ca.issueLeaf({ name, fqdn: `${name}.test`, ip: '192.0.2.1' }, new Date());

export type ApiServer = {
  url: string;
  port: number;
  certificate: NodeCertificate;
  /** Every request that arrived, in order. */
  requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string; remotePort: number }[];
  /** TLS connections made so far. */
  connections: () => number;
  /** Shows another certificate to connections made from now on. */
  renew: (certificate: NodeCertificate) => void;
  stop: () => Promise<void>;
};

/** A tiny HTTPS server on loopback that records what it gets; stopped when the test ends. */
export async function serveApi(handler: RequestListener, certificate = issueNodeCertificate()): Promise<ApiServer> {
  const requests: ApiServer['requests'] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ cert: certificate.certPem, key: certificate.keyPem }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      requests.push({
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        remotePort: request.socket.remotePort ?? 0,
      });
      handler(request, response);
    });
  });
  server.on('secureConnection', () => connections++);
  server.on('tlsClientError', () => {});
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(stop);
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    certificate,
    requests,
    connections: () => connections,
    renew: (next) => server.setSecureContext({ cert: next.certPem, key: next.keyPem }),
    stop,
  };
}

/** Answers with JSON as the API does. */
export function sendJson(response: ServerResponse, data: unknown, status = 200, reason?: string): void {
  const body = typeof data === 'string' ? data : JSON.stringify(data);
  response.writeHead(status, reason, {
    'Content-Type': 'application/json;charset=UTF-8',
    'Content-Length': Buffer.byteLength(body),
    ...(status >= 400 && { Connection: 'close' }),
  });
  response.end(body);
}
