import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { makeBody, NODES } from './ingest-flows';

/*
 * The agents of all nodes, in a process of their own. Started by the benches with one JSON argument; prepares the
 * heartbeats beforehand, prints "ready", sends on "go", and answers with the result of each.
 */
export type Plan = {
  url: string;
  tokens: string[];
  /** Numbers of the flows that each node has stored, and that the heartbeats update. */
  first?: number;
  perNode: number;
  restarted?: boolean;
  /** Flows of a heartbeat, as many as usual unless said. */
  flows?: number;
  /** How many nodes report, all unless said. */
  nodes?: number;
  heartbeats: number;
  /** Heartbeats of the runs before: the sequence continues from them. */
  from: number;
  /** Requests in flight (closed loop), or heartbeats per second (open loop). */
  inFlight?: number;
  perSecond?: number;
};
/** `at`: milliseconds after the first was sent. */
export type Sent = { at: number; ms: number; status: number; accepted: number; updated: number; rejected: number };

const plan: Plan = JSON.parse(process.argv[2] ?? '{}');
const agent = new Agent({ keepAlive: true });
const nodes = plan.nodes ?? NODES;
const boots = Array.from({ length: nodes }, () => randomUUID());
const bodies = Array.from({ length: plan.heartbeats }, (_, i) => {
  const node = (plan.from + i) % nodes;
  return makeBody(
    node,
    Math.floor((plan.from + i) / nodes),
    { first: plan.first ?? 0, perNode: plan.perNode, restarted: plan.restarted, flows: plan.flows },
    boots[node] ?? '',
  );
});

function send(index: number, first: number, started = performance.now()): Promise<Sent> {
  const body = bodies[index] as Buffer;
  const at = started - first;
  return new Promise((resolve, reject) => {
    const post = request(
      `${plan.url}/api/v1/agents/heartbeat`,
      {
        method: 'POST',
        agent,
        headers: {
          authorization: `Bearer ${plan.tokens[(plan.from + index) % nodes]}`,
          'content-type': 'application/json',
          'content-encoding': 'gzip',
          'content-length': body.length,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => {
          const ms = performance.now() - started;
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode !== 200) {
            resolve({ at, ms, status: response.statusCode ?? 0, accepted: 0, updated: 0, rejected: 0 });
            return;
          }
          const { accepted, updated, rejected } = JSON.parse(text);
          resolve({ at, ms, status: 200, accepted, updated, rejected: rejected.length });
        });
      },
    );
    post.on('error', (error: NodeJS.ErrnoException) => {
      // The server closes idle connections; one that it closes at the moment of sending is no answer. Agents send again, too.
      if (post.reusedSocket && error.code === 'ECONNRESET') resolve(send(index, first, started));
      else reject(error);
    });
    post.end(body);
  });
}

process.on('message', async () => {
  const started = performance.now();
  const sent: Sent[] = [];
  if (plan.perSecond === undefined) {
    let next = 0;
    const loop = async () => {
      while (next < bodies.length) sent.push(await send(next++, started));
    };
    await Promise.all(Array.from({ length: plan.inFlight ?? 8 }, loop));
  } else {
    const pending: Promise<void>[] = [];
    for (let i = 0; i < bodies.length; i++) {
      const wait = started + (i * 1000) / plan.perSecond - performance.now();
      if (wait > 0) await delay(wait);
      pending.push(send(i, started).then((one) => void sent.push(one)));
    }
    await Promise.all(pending);
  }
  process.send?.({ seconds: (performance.now() - started) / 1000, sent });
  process.disconnect();
});
process.send?.('ready');
