import { createHash, timingSafeEqual } from 'node:crypto';
import { isLocal } from '../../auth/origin';
import { env } from '../../lib/env';
import { AppError } from '../../lib/errors';
import { metricsText } from '../../lib/metrics';
import { refreshGauges } from '../../operation/refresh-gauges';
import { defineRoute } from '../define-route';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Metrics are for the monitoring, which shows the token or asks from this machine. */
function mayReadMetrics(request: Request): boolean {
  const expected = env().FABRIC_METRICS_TOKEN;
  const given = /^Bearer (.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (expected && given && timingSafeEqual(digest(expected), digest(given))) return true;
  return isLocal(request);
}

export const systemRoutes = [
  defineRoute({
    method: 'GET',
    path: '/metrics',
    summary:
      'Get the metrics of this process for Prometheus, with FABRIC_METRICS_TOKEN as bearer token or from this machine.',
    tag: 'System',
    access: { open: 'The monitoring has no account; its own token or the loopback address authenticates it.' },
    response: { status: 200, media: 'text/plain', problems: ['unauthenticated'] },
    handler: async ({ request }) => {
      if (!mayReadMetrics(request)) {
        throw new AppError(
          'unauthenticated',
          'Send FABRIC_METRICS_TOKEN as bearer token, or send the request from this machine.',
        );
      }
      await refreshGauges();
      return new Response(await metricsText(), {
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' },
      });
    },
  }),
];
