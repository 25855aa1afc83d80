import { beforeAll, expect, it } from 'vitest';
import type { GuestSnapshot } from '@/domain/firewall/snapshot';
import { db, sqlClient } from '@/server/db/client';
import { storeClusterSnapshot, storeGuestSnapshots } from '@/server/enforcement/queries/firewall-snapshots';
import { countQueries } from '@/test/count-queries';
import { makeCluster, makeWorkload } from '@/test/factories';
import { readFirewallState } from './read-firewall-state';

const sql = sqlClient();
const at = (second: number) => new Date(Date.parse('2026-03-01T10:00:00Z') + second * 1000).toISOString();
const state: GuestSnapshot = {
  ...{ options: {}, rules: [], ipsets: {}, aliases: {}, presence: 'present' as const, nics: [] },
  ...{ pending_nics: [], unreadable: [] },
};

let cluster: Awaited<ReturnType<typeof makeCluster>>;
let workload: Awaited<ReturnType<typeof makeWorkload>>;
const store = (second: number, state_hash: string) =>
  storeGuestSnapshots(db, [{ workload_id: workload.id, read_at: at(second), state_hash, state }]);

beforeAll(async () => {
  cluster = await makeCluster();
  workload = await makeWorkload(cluster);
  await store(0, 'a');
});

it('returns the same object in one query while nothing changed', async () => {
  const firewall = await readFirewallState();
  // Transactions of others make what was stored older.
  for (let count = 0; count < 3; count += 1) await sql`select pg_current_xact_id()`;
  const again = await countQueries(() => readFirewallState());
  expect(again.result).toBe(firewall);
  expect(again.queries).toBe(1);
});

it('keeps what was made from the inventory when only something else about it changed', async () => {
  const { inputs, content } = await readFirewallState();
  await sql`update workloads set updated_at = now(), cpu_count = 7 where id = ${workload.id}`;
  await sql`update ip_addresses set updated_at = now()`;
  const again = await readFirewallState();
  expect(again.inputs).toBe(inputs);
  expect(again.content).toBe(content);
});

it.each<[string, () => Promise<unknown>, (firewall: Awaited<ReturnType<typeof readFirewallState>>) => void]>([
  [
    'a guest was read again with the same result',
    () => store(10, 'a'),
    ({ snapshots }) => expect(snapshots.guests.get(workload.id)?.read_at).toBe(at(10)),
  ],
  [
    'a guest was read differently',
    () => store(20, 'b'),
    ({ snapshots }) => expect(snapshots.guests.get(workload.id)?.read_at).toBe(at(20)),
  ],
  [
    'a cluster was read',
    () =>
      storeClusterSnapshot(db, {
        cluster_id: cluster.id,
        read_at: at(30),
        state_hash: 'c',
        state: { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {}, unreadable: [] },
      }),
    ({ snapshots }) => expect(snapshots.clusters.get(cluster.id)?.read_at).toBe(at(30)),
  ],
  [
    'a guest was renamed',
    () => sql`update workloads set name = 'renamed' where id = ${workload.id}`,
    ({ inputs }) => expect(inputs.workloads.get(workload.id)?.name).toBe('renamed'),
  ],
  [
    'a snapshot was lost',
    () => sql`delete from guest_firewall_snapshots where workload_id = ${workload.id}`,
    ({ snapshots }) => expect(snapshots.guests.size).toBe(0),
  ],
])(
  'returns another object after %s, and another version unless the result is the same',
  async (what, change, check) => {
    const before = await readFirewallState();
    await change();
    const firewall = await readFirewallState();
    expect(firewall).not.toBe(before);
    check(firewall);
    expect(firewall.content === before.content).toBe(what === 'a guest was read again with the same result');
  },
);
