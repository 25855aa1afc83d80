import { setMaxListeners } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/*
 * The attacks of packages/bench/noisy-neighbor.ts, in a process of their own. Each is a number of senders that call
 * one after the other, at most `CALLS` times each, until stopped.
 */
export type Attack = {
  name: 'topology' | 'sign-in' | 'sign-in everywhere' | 'mixture';
  url: string;
  token: string;
  workloads: string[];
  policies: string[];
};

const CALLS = 2_000;
const attack: Attack = JSON.parse(process.argv[2] ?? '{}');
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const statuses: Record<string, number> = {};
let slowest = 0;

type Call = { method?: string; path: string; body?: unknown; headers?: Record<string, string> };

/** Sends a call and reads the answer to its end. */
function send({ method = 'GET', path, body, headers }: Call, signal: AbortSignal): Promise<void> {
  const started = performance.now();
  return new Promise((resolve) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = request(
      `${attack.url}${path}`,
      { method, agent, signal, headers: { ...(text && { 'content-type': 'application/json' }), ...headers } },
      (response) => {
        response.resume();
        response.on('error', () => resolve());
        response.on('close', () => {
          const status = String(response.statusCode);
          statuses[status] = (statuses[status] ?? 0) + 1;
          slowest = Math.max(slowest, performance.now() - started);
          resolve();
        });
      },
    );
    sent.on('error', () => resolve());
    sent.end(text);
  });
}

const authorization = { authorization: `Bearer ${attack.token}` };
const since = () => new Date(Date.now() - 3_600_000 + Math.floor(Math.random() * 600_000)).toISOString();
const pickRandom = (ids: readonly string[]) => ids[Math.floor(Math.random() * ids.length)] ?? '';
let serial = 0;

/** Fifty calls in one batch, each with a range of its own; where the service takes less, in batches of twelve. */
function buildTopologyCall(calls: number): Call {
  const input = Object.fromEntries(Array.from({ length: calls }, (_, i) => [i, { since: since() }]));
  const path = `/api/trpc/${Array(calls).fill('topology.read').join(',')}?batch=1&input=${encodeURIComponent(JSON.stringify(input))}`;
  return { path, headers: authorization };
}

function buildSignInCall(everywhere: boolean): Call {
  serial += 1;
  const address = everywhere ? `198.51.${Math.floor(serial / 250) % 250}.${serial % 250}` : '198.51.100.7';
  const body = { email: `nobody${serial}@example.org`, password: `wrong password ${serial}` };
  return { method: 'POST', path: '/api/v1/auth/login', body, headers: { 'x-forwarded-for': address } };
}

const MIXTURE: (() => Call)[] = [
  () => ({
    path: `/api/v1/workloads/${pickRandom(attack.workloads)}/insights?since=${since()}&include_rules=true&include_flow_context=true`,
  }),
  () => ({ path: `/api/v1/flows/groups?since=${since()}` }),
  () => ({ path: `/api/v1/flows?format=csv&since=${since()}` }),
  () => ({ path: `/api/v1/workloads?format=csv` }),
  () => ({ path: `/api/v1/topology?since=${since()}` }),
  () => ({ path: `/api/v1/dashboard?since=${since()}` }),
  () => ({ method: 'POST', path: `/api/v1/policies/${pickRandom(attack.policies)}/preview` }),
  () => ({ path: `/api/v1/policies/${pickRandom(attack.policies)}/coverage` }),
  () => ({
    method: 'POST',
    path: `/api/v1/workloads/${pickRandom(attack.workloads)}/firewall/test`,
    body: {
      direction: 'in',
      protocol: 'tcp',
      source_ip: '10.0.4.1',
      destination_ip: '10.0.4.2',
      destination_port: 443,
    },
  }),
];

const SENDERS: Record<Attack['name'], [number, (sender: number) => Call]> = {
  topology: [4, (sender) => buildTopologyCall(sender === 0 ? 50 : 12)],
  'sign-in': [30, () => buildSignInCall(false)],
  'sign-in everywhere': [30, () => buildSignInCall(true)],
  mixture: [20, () => ({ headers: authorization, ...(MIXTURE[serial++ % MIXTURE.length] as () => Call)() })],
};

const end = new AbortController();
setMaxListeners(0, end.signal);
process.once('message', () => end.abort());
const [senders, next] = SENDERS[attack.name];
await Promise.all(
  Array.from({ length: senders }, async (_, sender) => {
    for (let call = 0; call < CALLS && !end.signal.aborted; call += 1) {
      await send(next(sender), end.signal);
      await delay(5);
    }
  }),
);
process.send?.({ statuses, slowest }, () => process.exit(0));
