import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FlowTail } from '@/domain/flow/flow';
import type { Topology } from '@/domain/topology/topology';
import { sqlClient } from '@/server/db/client';
import { countQueries } from '@/test/count-queries';
import { bearer, makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { forgetSharedAnswers } from '../admission/shared-answers';
import { handleTrpc } from '../api/handle-trpc';
import { appRouter } from '../api/root';
import {
  type Headers,
  NOW,
  type PlantedDashboard,
  plantDashboard,
  SINCE,
  UNTIL,
} from './dashboard/testing/planted-dashboard.fixture';

const time = fakeClock(NOW);
const RANGE = { since: SINCE, until: UNTIL };
/** What pages share, what they ask, and whether the answer names workloads. */
const PARTS = {
  'dashboard.security': { asked: RANGE, named: true },
  'dashboard.traffic': { asked: RANGE, named: true },
  'dashboard.operations': { asked: {}, named: true },
  'topology.read': { asked: RANGE, named: true },
  'flows.tail': { asked: { after: SINCE }, named: true },
  'flows.series': { asked: RANGE, named: false },
} as const;
type Part = keyof typeof PARTS;
let fixture: PlantedDashboard;
let readers: Headers[];

async function ask(part: Part, headers: Headers, asked: object = PARTS[part].asked) {
  const input = encodeURIComponent(JSON.stringify(asked));
  const response = await handleTrpc(
    appRouter,
    new Request(`http://fabric.test/api/trpc/${part}?input=${input}`, { headers }),
  );
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text;
}

beforeAll(async () => {
  fixture = await plantDashboard();
  const { admin, ours, theirs } = fixture;
  // Two roles that may see everything, and two tenants.
  readers = [admin, await bearer(await makeUser('network_operator')), ours.headers, theirs.headers];
});
beforeEach(forgetSharedAnswers);
afterAll(() => time.restore());

describe.each(Object.keys(PARTS) as Part[])('%s', (part) => {
  it('answers each reader as if no one else had asked, in every order', async () => {
    const alone: string[] = [];
    for (const headers of readers) {
      forgetSharedAnswers();
      alone.push(await ask(part, headers));
    }
    expect(new Set(alone).size).toBeGreaterThan(2);
    for (let first = 0; first < readers.length; first++) {
      forgetSharedAnswers();
      for (let turn = 0; turn < 2 * readers.length; turn++) {
        const at = (first + turn * (1 + (first % 3))) % readers.length;
        expect(await ask(part, readers[at] as Headers)).toBe(alone[at]);
      }
    }
  });

  it('shows a change immediately, to those who asked just before as well', async () => {
    const { ours, admin } = fixture;
    const askBoth = async () => [await ask(part, admin), await ask(part, ours.headers)];
    const before = await askBoth();
    await sqlClient()`update workloads set name = 'renamed', status = 'stopped' where id = ${ours.workload.id}`;
    const shared = await askBoth();
    forgetSharedAnswers();
    expect(shared).toEqual(await askBoth());
    for (const [at, text] of shared.entries()) expect(text !== before[at]).toBe(PARTS[part].named);
    await sqlClient()`update workloads set name = ${ours.workload.name}, status = 'running' where id = ${ours.workload.id}`;
  });
});

describe('dashboard.operations', () => {
  it.each([
    [
      'a node that fails',
      "update nodes set fault = 'disk full' where name = 'n1'",
      "update nodes set fault = null where name = 'n1'",
    ],
    ['a silent agent', "update node_agents set status = 'silent'", "update node_agents set status = 'ok'"],
    [
      'a cluster that was not read',
      "update clusters set sync_status = 'failed', last_sync_error = 'refused'",
      "update clusters set sync_status = 'ok', last_sync_error = null",
    ],
  ])('shows %s immediately', async (_, happens, ends) => {
    const before = await ask('dashboard.operations', fixture.admin);
    await sqlClient().unsafe(happens);
    expect(await ask('dashboard.operations', fixture.admin)).not.toBe(before);
    await sqlClient().unsafe(ends);
  });
});

describe('flows.tail', () => {
  it('serves those who follow it in the same seconds with one read', async () => {
    const follow = (after: string) => countQueries(() => ask('flows.tail', fixture.admin, { after }));
    const continueAt = (text: string) => (JSON.parse(text) as { result: { data: FlowTail } }).result.data.next_after;
    const first = continueAt((await follow(SINCE)).result);
    expect(Date.parse(first)).toBeLessThanOrEqual(NOW.getTime() - 10_000);
    // A user who began a moment earlier or later continues from the same one.
    expect(Date.parse(first) % 2_000).toBe(0);
    const one = await follow(first);
    const other = await follow(first);
    expect(other.result).toBe(one.result);
    expect(other.queries).toBeLessThan(one.queries);
  });
});

describe.each(['topology.read', 'flows.series'] as const)('%s', (part) => {
  it('serves those who ask for the same minutes with one read', async () => {
    const end = Math.floor(NOW.getTime() / 300_000) * 300_000;
    const readUntil = (time: number) =>
      countQueries(() => ask(part, fixture.admin, { since: new Date(end - 3_600_000), until: new Date(time) }));
    const first = await readUntil(end - 10_000);
    const second = await readUntil(end - 30_000);
    expect(second.result).toBe(first.result);
    expect(second.queries).toBeLessThan(first.queries);
    expect((await readUntil(end - 310_000)).queries).toBeGreaterThan(second.queries);
  });
});

describe('topology.read', () => {
  it('follows an interface to another network', async () => {
    const sql = sqlClient();
    const { id, cluster_id } = fixture.ours.workload;
    const askNetworks = async () => {
      const { result } = JSON.parse(await ask('topology.read', fixture.admin)) as { result: { data: Topology } };
      return result.data.networks.map(({ name, vlan_tag }) => [name, vlan_tag]);
    };
    const [network] = await sql`insert into networks (id, cluster_id, name, kind, source)
      values (gen_random_uuid(), ${cluster_id}, 'vmbr7', 'bridge', 'provider') returning id`;
    const before = await askNetworks();
    await sql`insert into workload_interfaces (id, workload_id, network_id, name, bridge, firewall, raw)
      values (gen_random_uuid(), ${id}, ${network?.id ?? ''}, 'net7', 'vmbr7', true, '')`;
    expect(await askNetworks()).toEqual([...before, ['vmbr7', null]]);
    await sql`update workload_interfaces set vlan_tag = 77 where workload_id = ${id}`;
    expect(await askNetworks()).toEqual([...before, ['vmbr7', 77]]);
  });
});
