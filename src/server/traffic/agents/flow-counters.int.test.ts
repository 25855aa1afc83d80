import { randomUUID } from 'node:crypto';
import type { Flow, HeartbeatAnswer } from '@fabric/agent-contract';
import { type SQL, sql } from 'drizzle-orm';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { db, sqlClient } from '@/server/db/client';
import { findReportedFlows } from '@/server/traffic/storage/postgres/append-flows';
import { makeAgent, makeCluster, makeNode } from '@/test/factories';
import { call } from '@/test/request';
import { makeFlow, makeFlows, makeHeartbeat } from './testing/heartbeat.fixture';

const client = sqlClient();
let node: { id: string };
let headers: { authorization: string };

beforeEach(async () => {
  node = await makeNode(await makeCluster());
  headers = await makeAgent(node);
});

async function sendHeartbeat(body: unknown): Promise<HeartbeatAnswer> {
  const response = await call('/agents/heartbeat', { method: 'POST', body, headers });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text);
}

const stored = () => client<{ source_port: number | null; bytes: string; packets: string; icmp_type: number | null }[]>`
  select source_port, bytes, packets, icmp_type from traffic_flows where node_id = ${node.id} order by source_port`;
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
async function rolledUp(): Promise<{ bytes: number; packets: number }> {
  const [sum] = await client<{ bytes: number; packets: number }[]>`
    select coalesce(sum(bytes), 0)::int as bytes, coalesce(sum(packets), 0)::int as packets
    from flow_rollup_minutes where node_id = ${node.id}`;
  return { bytes: sum?.bytes ?? 0, packets: sum?.packets ?? 0 };
}

describe('totals of a flow', () => {
  it('go on when an agent restarts and counts from zero', async () => {
    await sendHeartbeat(makeHeartbeat([makeFlow({ bytes: 2_000, packets: 20, observed_at: ago(60) })]));
    await sendHeartbeat(
      makeHeartbeat([makeFlow({ bytes: 90, packets: 1, observed_at: ago(30), first_seen_at: ago(30) })]),
    );
    expect((await stored())[0]).toMatchObject({ bytes: '2090', packets: '21' });
    // More than before the restart, and all of it is new: it began after what is stored.
    await sendHeartbeat(
      makeHeartbeat([makeFlow({ bytes: 5_000, packets: 50, observed_at: ago(5), first_seen_at: ago(10) })]),
    );
    expect((await stored())[0]).toMatchObject({ bytes: '7090', packets: '71' });
    expect(await rolledUp()).toEqual({ bytes: 7_090, packets: 71 });
  });

  it('count what is new, not what an agent had seen before it was heard', async () => {
    await sendHeartbeat(makeHeartbeat([makeFlow({ bytes: 9_000, packets: 90, delta_bytes: 100, delta_packets: 1 })]));
    expect((await stored())[0]).toMatchObject({ bytes: '100', packets: '1' });
    expect(await rolledUp()).toEqual({ bytes: 100, packets: 1 });
  });

  it('add up ICMP messages between two ends, and keep the type of the request', async () => {
    const ping = { protocol: 'icmp', source_port: null, destination_port: null };
    await sendHeartbeat(makeHeartbeat([makeFlow({ ...ping, icmp_type: 8, icmp_code: 0, bytes: 1_960, packets: 20 })]));
    await sendHeartbeat(makeHeartbeat([makeFlow({ ...ping, icmp_type: 3, icmp_code: 3, bytes: 70, packets: 1 })]));
    expect(await stored()).toMatchObject([{ bytes: '2030', packets: '21', icmp_type: 8 }]);
  });

  it('never fall and equal the sum of the rollups, whatever restarts, comes late, twice or from another collector', async () => {
    const FLOWS = 4;
    const step = fc.record({
      packets: fc.array(fc.nat(9), { minLength: FLOWS, maxLength: FLOWS }),
      restart: fc.boolean(),
      forget: fc.nat(FLOWS - 1),
      collector: fc.constantFrom('ebpf', 'conntrack'),
      delay: fc.nat(6),
      copies: fc.constantFrom(1, 1, 2, 3),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        node = await makeNode(await makeCluster());
        headers = await makeAgent(node);
        const begin = Date.now() - 600_000;
        const at = (slot: number, ms = 0) => new Date(begin + slot * 10_000 + ms).toISOString();
        /** What the agent remembers, by flow: total and when it began. Conntrack counts in the kernel and remembers always. */
        let memory = new Map<string, { total: number; first: string; reported: number }>();
        const truth = new Map<number, number>();
        let boot_id = randomUUID();
        const sent = steps.map(({ packets, restart, forget, collector }, slot) => {
          if (restart) {
            memory = new Map([...memory].filter(([key]) => key.startsWith('conntrack')));
            boot_id = randomUUID();
          }
          memory.delete(`ebpf ${forget}`);
          const flows = packets.flatMap((count, i): Flow[] => {
            if (count === 0) return [];
            const key = `${collector} ${i}`;
            const known = memory.get(key) ?? { total: 0, first: at(slot, -5_000), reported: 0 };
            known.total += count;
            memory.set(key, known);
            const added = known.total - known.reported;
            known.reported = known.total;
            truth.set(i, (truth.get(i) ?? 0) + added);
            const isWhole = added === known.total && collector === 'ebpf';
            return [
              makeFlow({
                ...(i === 3
                  ? { protocol: 'icmp', source_port: null, destination_port: null, icmp_type: slot % 2 ? 3 : 8 }
                  : { source_port: 2_000 + i }),
                bytes: known.total * 100,
                packets: known.total,
                ...(!isWhole && { delta_bytes: added * 100, delta_packets: added }),
                ...(collector === 'ebpf' && { first_seen_at: known.first }),
                observed_at: at(slot),
                collector,
              }),
            ];
          });
          return makeHeartbeat(flows, { boot_id, sequence: slot, sent_at: new Date().toISOString() });
        });
        const deliveries = sent
          .flatMap((body, slot) =>
            Array.from({ length: steps[slot]?.copies ?? 1 }, (_, copy) => ({
              body,
              order: slot + (steps[slot]?.delay ?? 0) + copy * 2,
            })),
          )
          .sort((a, b) => a.order - b.order);
        let before = new Map<number | null, number>();
        for (const { body } of deliveries) {
          await sendHeartbeat({ ...body, sent_at: new Date().toISOString() });
          const now = new Map((await stored()).map((row) => [row.source_port, Number(row.packets)]));
          for (const [key, total] of before) expect(now.get(key)).toBeGreaterThanOrEqual(total);
          before = now;
        }
        for (const [i, total] of truth) expect(before.get(i === 3 ? null : 2_000 + i)).toBe(total);
        const sum = [...truth.values()].reduce((a, b) => a + b, 0);
        expect(await rolledUp()).toEqual({ packets: sum, bytes: sum * 100 });
      }),
      { numRuns: 12 },
    );
  });
});

describe('the reported record', () => {
  it('exists for every flow; the newest replaces the older one', async () => {
    const flows = [...makeFlows(3), makeFlow({ source_port: 9, raw: { excerpt: 'policy DROP', chain: 'x' } })];
    await sendHeartbeat(makeHeartbeat(flows.map((flow) => ({ ...flow, observed_at: ago(20) }))));
    await sendHeartbeat(makeHeartbeat(flows));
    const rows = await client`select raw from traffic_flows where node_id = ${node.id} order by source_port`;
    const fields = ({ raw, ...flow }: Flow) => ({ ...flow, ...raw });
    expect(rows.map((row) => row.raw)).toEqual([flows[3], ...flows.slice(0, 3)].map((flow) => fields(flow as Flow)));
  });
});

describe('looking up known flows', () => {
  it('asks the index for each, also of a small table that was analyzed', async () => {
    await sendHeartbeat(makeHeartbeat(makeFlows(3_000)));
    await client`analyze traffic_flows`;
    const statements: SQL[] = [];
    const keys = (await client`select flow_key from traffic_flows where node_id = ${node.id}`).map(
      (row) => row.flow_key,
    );
    const recorder = new Proxy(db, {
      get(target, name) {
        if (name !== 'execute') return Reflect.get(target, name);
        return (query: SQL) => {
          statements.push(query);
          return target.execute(query);
        };
      },
    });
    expect((await findReportedFlows(recorder, node.id, keys)).size).toBe(3_000);
    const [row] = await db.execute<{ 'QUERY PLAN': unknown }>(sql`explain (format json) ${statements[0] ?? sql``}`);
    // The text of a plan holds all keys: what fails must not print it.
    const plan = JSON.stringify(row?.['QUERY PLAN']);
    const nodes = [...plan.matchAll(/"Node Type":"([^"]+)"/g)].map(([, name]) => name);
    expect(nodes).toContain('Index Scan');
    expect(nodes).not.toContain('Seq Scan');
    expect(plan.includes('"Filter"')).toBe(false);
  });
});
