import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { makeAgent, makeCluster, makeNode } from '@/test/factories';
import { getRunCount } from '@/test/thorough';
import { CORPUS, sendStrange, strangeHeartbeat } from './testing/strange-heartbeats.fixture';

/** As many as fit into a test run. */
const RUNS = getRunCount(1_500, 3_000);
const AT_ONCE = 4;
/** What was strange before counts for an agent's later heartbeats: with one cluster some runs stored 30 flows, others 800. */
const CLUSTERS = 8;
const sql = sqlClient();

it('each heartbeat is stored or rejected without a failure, and the aggregates equal the totals of the flows', async () => {
  const labs = await Promise.all(
    Array.from({ length: CLUSTERS }, async () => {
      const cluster = await makeCluster();
      return Promise.all(Array.from({ length: AT_ONCE }, async () => makeAgent(await makeNode(cluster))));
    }),
  );
  const first = labs[0]?.[0];
  if (!first) throw new Error('no agent');
  for (const one of CORPUS) await sendStrange(one, first);
  const statuses = new Map<number, number>();
  let run = 0;
  await fc.assert(
    // Each heartbeat of a run goes to a node of its own but the last two, which go to one.
    fc.asyncProperty(fc.array(strangeHeartbeat, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (batch) => {
      const agents = labs[run++ % CLUSTERS] ?? [];
      const sent = await Promise.all(
        batch.map((one, i) => sendStrange(one, agents[Math.min(i, AT_ONCE - 2)] ?? first)),
      );
      // As if the agents had waited.
      await sql`delete from rate_limits`;
      for (const status of sent) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }),
    { numRuns: RUNS / AT_ONCE, endOnFailure: true },
  );
  // It really got through, and really was refused.
  expect(statuses.get(200)).toBeGreaterThan(RUNS / 4);
  expect(statuses.get(400)).toBeGreaterThan(RUNS / 20);
  const [flows] = await sql`select count(*)::int as n from traffic_flows`;
  const [sums] = await sql`select sum(flows)::int as n from flow_rollup_minutes`;
  expect(flows?.n).toBeGreaterThan(1_000);
  expect(sums?.n).toBe(flows?.n);
});
