import { z } from 'zod';
import { liveness, readiness } from '../../operation/health';
import { defineRoute } from '../define-route';

const Check = z.object({ status: z.enum(['ok', 'failed', 'unknown']), detail: z.string().optional() });
const Readiness = z.object({
  status: z.enum(['ok', 'failed']),
  checks: z.object({
    database: Check,
    migrations: Check,
    queue: Check,
    secret_key: Check,
    worker: Check,
    flow_storage: Check.optional(),
  }),
});

const live = defineRoute({
  method: 'GET',
  path: '/health/live',
  summary: 'Check whether the process is running.',
  tag: 'Operations',
  access: { open: 'probes of orchestrators carry no credentials' },
  response: { status: 200, schema: z.object({ status: z.literal('ok'), uptime_seconds: z.int() }) },
  handler: async () => liveness(),
});

const ready = defineRoute({
  method: 'GET',
  path: '/health/ready',
  summary: 'Check whether the service can process requests: 200 if it can, otherwise 503. Both list the checks.',
  tag: 'Operations',
  access: { open: 'probes of orchestrators carry no credentials' },
  response: { status: 200, schema: Readiness },
  handler: async () => {
    const result = await readiness();
    return Response.json(result, {
      status: result.status === 'ok' ? 200 : 503,
      headers: { 'cache-control': 'no-store' },
    });
  },
});

export const healthRoutes = [live, ready];
