import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { parseHostPort } from '@/domain/net/host-port';
import { parseIp } from '@/domain/net/ip-address';
import { env } from '@/server/lib/env';
import { metricsText } from '@/server/lib/metrics';
import { readiness } from '@/server/operation/health';

const digest = (text: string) => createHash('sha256').update(text).digest();

/**
 * Monitoring asks by address or by a name of its own network, which has no dot, or shows the token. The page of another site, whose
 * name was made to lead here, sends that name.
 */
export function mayReadMetrics({ host, authorization }: IncomingHttpHeaders): boolean {
  const name = parseHostPort(host ?? '')?.host ?? '';
  if (parseIp(name) || /^[a-z0-9_-]+$/i.test(name)) return true;
  const expected = env().FABRIC_METRICS_TOKEN;
  const given = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
  return Boolean(expected && given && timingSafeEqual(digest(expected), digest(given)));
}

/** A small server for probes of a worker process: `/health/live`, `/health/ready` and `/metrics`. */
export async function serveHealth(port: number, host: string): Promise<Server> {
  const server = createServer((request, response) => {
    const answer = async (): Promise<[number, string, string]> => {
      if (request.url === '/health/live') return [200, 'application/json', '{"status":"ok"}'];
      if (request.url === '/metrics' && !mayReadMetrics(request.headers)) {
        return [
          401,
          'text/plain',
          'Use the IP address of the worker as host, or send FABRIC_METRICS_TOKEN as bearer token.',
        ];
      }
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
