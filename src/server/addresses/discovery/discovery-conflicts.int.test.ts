import { recipeMac } from '@fabric/simulator/scenarios/guest-recipe';
import { smallLab } from '@fabric/simulator/scenarios/small-lab';
import { afterEach, describe, expect, it } from 'vitest';
import { bearer, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { createAgentAnswer, type DiscoveryLab, makeDiscoveryLab } from './discovery.fixture';

let fixture: DiscoveryLab;
let serial = 0;

/** The small lab with its inventory synced. Its seconds last 5 ms, so that dead agents cost little. */
async function lab(): Promise<DiscoveryLab> {
  fixture = await makeDiscoveryLab({ scenario: smallLab, timeScale: 200 }, `lab ${++serial}`);
  expect((await fixture.sync()).status).toBe('ok');
  return fixture;
}
afterEach(async () => {
  await fixture.sql`delete from clusters`;
  await fixture.close();
});

describe('conflicts and moves that a discovery finds', () => {
  it('records an address on two workloads as a conflict and lets people decide', async () => {
    const { discover, control, addresses, conflicts, writes, sql } = await lab();
    await discover();
    control.setAgent(101, createAgentAnswer(101, ['10.20.20.12/24', '2001:db8:20::12/64', '10.20.20.11/24']));
    const run = await discover();
    expect(run.counters.conflicts).toMatchObject({ seen: 1, created: 1 });
    expect(await conflicts()).toMatchObject([
      { kind: 'duplicate_address', status: 'open', address: '10.20.20.11', vmid: 100, other: 101 },
    ]);
    const held = async () => (await addresses()).find((row) => row.address === '10.20.20.11');
    expect(await held()).toMatchObject({ vmid: 100, state: 'conflict' });
    const before = await writes();
    await discover();
    expect(await writes()).toEqual(before);

    const headers = { ...(await bearer(await makeUser('network_operator'))), 'content-type': 'application/json' };
    const [conflict] = await conflicts();
    const decide = (resolution: string) =>
      call(`/ipam/conflicts/${conflict?.id}/resolve`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ resolution, version: 1 }),
      });
    const refused = await call(`/ip-addresses/${(await held())?.id}`, {
      method: 'PATCH',
      headers,
      body: JSON.stringify({ state: 'reserved' }),
    });
    expect(refused.status).toBe(422);
    const answer = await decide('assign');
    expect(await answer.json()).toMatchObject({ status: 'resolved', resolution: 'assign' });
    expect(await held()).toMatchObject({ vmid: 101, state: 'active' });
    expect((await decide('keep')).status).toBe(409);
    const [audit] = await sql`select * from audit_records where action = 'ipam_conflict.resolved'`;
    expect(audit).toMatchObject({ object_id: conflict?.id, after: { resolution: 'assign' } });
    // Both still have it; the decision stands.
    await discover();
    expect(await conflicts()).toMatchObject([{ status: 'resolved' }]);
    expect(await held()).toMatchObject({ vmid: 101, state: 'active' });
    const settled = await writes();
    await discover();
    expect(await writes()).toEqual(settled);
    // One of them gives it up: the conflict is gone. It comes back: the conflict is open again.
    control.setAgent(100, createAgentAnswer(100, ['2001:db8:20::11/64']));
    await discover();
    expect(await conflicts()).toMatchObject([{ status: 'gone' }]);
    control.setAgent(100, createAgentAnswer(100, ['10.20.20.11/24', '2001:db8:20::11/64']));
    await discover();
    expect(await conflicts()).toMatchObject([{ status: 'open' }]);
    expect(await held()).toMatchObject({ vmid: 101, state: 'conflict' });
  });

  it('makes a stale address active when a decision assigns it', async () => {
    const { discover, control, addresses, conflicts } = await lab();
    await discover();
    control.setAgent(101, createAgentAnswer(101, ['10.20.20.11/24']));
    await discover();
    // Its holder gives it up, and the other one cannot be asked.
    control.setAgent(100, createAgentAnswer(100, []));
    control.setAgent(101, { kind: 'hung' });
    await discover();
    const held = async () => (await addresses()).find((row) => row.address === '10.20.20.11');
    expect(await held()).toMatchObject({ vmid: 100, state: 'stale' });
    const [conflict] = await conflicts();
    const answer = await call(`/ipam/conflicts/${conflict?.id}/resolve`, {
      method: 'POST',
      headers: { ...(await bearer(await makeUser('network_operator'))), 'content-type': 'application/json' },
      body: JSON.stringify({ resolution: 'assign', version: 1 }),
    });
    expect(await answer.json()).toMatchObject({ status: 'resolved' });
    expect(await held()).toMatchObject({ vmid: 101, state: 'active' });
  });

  it('follows an address that moved, with proof that the old holder does not have it', async () => {
    const { discover, control, addresses, conflicts, sql } = await lab();
    await discover();
    control.setAgent(100, createAgentAnswer(100, ['10.20.20.99/24']));
    control.setAgent(101, createAgentAnswer(101, ['10.20.20.11/24']));
    await discover();
    const moved = (await addresses()).find((row) => row.address === '10.20.20.11');
    expect(moved).toMatchObject({ vmid: 101, state: 'active' });
    expect(await conflicts()).toEqual([]);
    const history =
      await sql`select w.vmid, h.until_at is null as open from ip_address_history h join workloads w on w.id = h.workload_id
      where h.address = '10.20.20.11' order by h.from_at, h.until_at nulls last`;
    expect(history.map((row) => [row.vmid, row.open])).toEqual([
      [100, false],
      [101, true],
    ]);
  });

  it('follows the same address of two workloads that move from network to network', async () => {
    const { discover, control, addresses, conflicts, sql, cluster } = await lab();
    const bridges = ['apps', 'vmbr0', 'vmbr1'];
    await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
      select gen_random_uuid(), cluster_id, id, '10.77.0.0/24', 'manual' from networks
      where cluster_id = ${cluster.id} and name in ${sql(bridges)}`;
    const attach = (vmid: number, bridge: string) => {
      control.setConfig(vmid, { net0: `virtio=${recipeMac('lab', vmid, 0)},bridge=${bridge},firewall=1` });
      control.setAgent(vmid, createAgentAnswer(vmid, ['10.77.0.7/24']));
    };
    const find = async () => {
      const rows = (await addresses()).filter((row) => row.address === '10.77.0.7');
      return rows
        .map(({ id, vmid, network }) => ({ id, at: `${vmid} ${network}` }))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
    };
    // In both orders of the ids of the rows: the one that makes room is stored first.
    for (const [first, second] of [
      [103, 104],
      [104, 103],
    ] as const) {
      await sql`delete from ip_addresses where address = '10.77.0.7'`;
      attach(first, 'apps');
      attach(second, 'vmbr0');
      expect((await discover()).status).toBe('ok');
      const before = await find();
      expect(before.map(({ at }) => at).sort()).toEqual([`${first} apps`, `${second} vmbr0`].sort());
      attach(first, 'vmbr0');
      attach(second, 'vmbr1');
      expect((await discover()).status).toBe('ok');
      const next: Record<string, string> = {
        [`${first} apps`]: `${first} vmbr0`,
        [`${second} vmbr0`]: `${second} vmbr1`,
      };
      expect(await find()).toEqual(before.map(({ id, at }) => ({ id, at: next[at] })));
      expect((await conflicts()).filter(({ kind }) => kind === 'duplicate_address')).toEqual([]);
    }
  });

  it('records a MAC address that two cards have, and an address outside the prefixes of its network', async () => {
    const { discover, control, conflicts, addresses } = await lab();
    control.setConfig(104, { net0: `virtio=${recipeMac('lab', 103, 0)},bridge=apps,firewall=1` });
    control.setAgent(120, createAgentAnswer(120, ['10.99.1.5/24']));
    await discover();
    expect(await conflicts()).toMatchObject([
      { kind: 'duplicate_mac', status: 'open', mac: recipeMac('lab', 103, 0).toLowerCase(), vmid: 103, other: 104 },
      { kind: 'outside_subnet', status: 'open', address: '10.99.1.5', vmid: 120 },
    ]);
    expect((await addresses()).find((row) => row.address === '10.99.1.5')).toMatchObject({
      state: 'conflict',
      network: 'discovered-ipam',
      cidr: '10.99.1.0/24',
    });
    control.setConfig(104, { net0: `virtio=${recipeMac('lab', 104, 0)},bridge=apps,firewall=1` });
    control.setAgent(120, createAgentAnswer(120, ['10.60.10.30/24']));
    await discover();
    expect((await conflicts()).map((row) => row.status)).toEqual(['gone', 'gone']);
  });
});
