import fc from 'fast-check';
import { startBenchDatabase } from './database';
import { expectBar } from './stats';

/*
 * Random heartbeats, valid and not, against the whole handler: npx tsx bench/strange-heartbeats.ts [heartbeats] [seed]
 * (default 50,000). Bars: no answer but success or a refusal, and sums that equal the flows at the end.
 */
const [count = 50_000, seed = Date.now() & 0x7fff_ffff] = process.argv.slice(2).map(Number);
const AT_ONCE = 8;

const database = await startBenchDatabase();
const { closeDb, sqlClient } = await import('@/server/db/client');
const { makeAgent, makeCluster, makeNode } = await import('@/test/factories');
const { sendStrange, strangeHeartbeat } = await import('@/server/services/agents/testing/strange-heartbeats.fixture');

const cluster = await makeCluster();
const agents = await Promise.all(Array.from({ length: AT_ONCE / 2 }, async () => makeAgent(await makeNode(cluster))));
const statuses: Record<number, number> = {};
const failures: string[] = [];
const started = performance.now();
for (let done = 0; done < count; ) {
  // New values for each batch, the same for the same seed.
  const batch = fc.sample(strangeHeartbeat, { numRuns: Math.min(1_000, count - done), seed: seed + done });
  const queue = batch.values();
  const work = async (lane: number) => {
    for (const one of queue) {
      try {
        // Two lanes per node: heartbeats of one node meet, too.
        const status = await sendStrange(one, agents[lane % agents.length] ?? { authorization: '' });
        statuses[status] = (statuses[status] ?? 0) + 1;
      } catch (error) {
        failures.push(String(error));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, lane) => work(lane)));
  // As if the agents had waited meanwhile: they send more than their budget.
  await sqlClient()`delete from rate_limits`;
  done += batch.length;
}
const sql = sqlClient();
const [flows] =
  await sql`select count(*)::int as n, count(distinct (node_id, flow_key))::int as keys from traffic_flows`;
const [sums] = await sql`select sum(flows)::int as n from flow_rollup_minutes`;
console.log(`${count} heartbeats in ${((performance.now() - started) / 1000).toFixed(0)} s, seed ${seed}`);
console.log(`answers: ${JSON.stringify(statuses)}; ${flows?.n} flows stored`);
for (const failure of failures.slice(0, 5)) console.log(failure);
expectBar('every answer is a success or a refusal', failures.length === 0);
expectBar('no flow is stored twice', flows?.n === flows?.keys);
expectBar('the sums are those of the flows', flows?.n === sums?.n);
await closeDb();
await database.stop();
