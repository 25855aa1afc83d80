import { createServer, type Server } from 'node:http';
import { metricsText } from '@/server/lib/metrics';
import { readiness } from '@/server/services/health/readiness';

/** A small server for probes of a worker process: `/health/live`, `/health/ready` and `/metrics`. */
export async function serveHealth(port: number, host: string): Promise<Server> {
  const server = createServer((request, response) => {
    const answer = async (): Promise<[number, string, string]> => {
      if (request.url === '/health/live') return [200, 'application/json', '{"status":"ok"}'];
      if (request.url === '/metrics') return [200, 'text/plain; version=0.0.4', await metricsText()];
      if (request.url !== '/health/ready') return [404, 'application/json', '{"status":"not_found"}'];
      const health = await readiness();
      return [health.status === 'ok' ? 200 : 503, 'application/json', JSON.stringify(health)];
    };
    answer().then(
      ([status, type, body]) => response.writeHead(status, { 'content-type': type }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}
