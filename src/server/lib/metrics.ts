import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { lazy } from './lazy';

const made = lazy(() => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'fabric_request_duration_seconds',
    help: 'Time to answer a request, by surface (rest, trpc), method, path pattern and status.',
    labelNames: ['surface', 'method', 'path', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  return { registry, requests };
});

/** Records one answered request. `path` is the pattern, never the concrete address, to keep the series few. */
export function observeRequest(r: {
  surface: 'rest' | 'trpc';
  method: string;
  path: string;
  status: number;
  seconds: number;
}): void {
  made.requests.observe({ surface: r.surface, method: r.method, path: r.path, status: String(r.status) }, r.seconds);
}

/** Everything measured in this process, in the Prometheus text format. */
export async function metricsText(): Promise<string> {
  return made.registry.metrics();
}
