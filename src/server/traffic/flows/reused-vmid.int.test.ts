import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { clock } from '@/server/lib/clock';
import { env } from '@/server/lib/env';
import { type ChdbServer, findChdbProblem, startChdb } from '@/test/chdb-server';
import { makeAgent, makeNode, makeTwoTenants, makeWorkload, placeOn } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { startFreshProcess } from '@/test/fresh-process';
import { call } from '@/test/request';
import { getRunCount } from '@/test/thorough';
import { makeFlow, makeHeartbeat } from '../agents/testing/heartbeat.fixture';
import { prepareFlowStorage } from '../storage/flow-storage';
import { freshAddressBook } from './address-book';
import { confirmReports } from './confirm-reports';
import { resolveFlowEnds } from './upkeep';

const MINUTE = 60_000;
const OUTSIDE = '203.0.113.9';
const COUNTERS = { rx_bytes: 1, rx_packets: 1, tx_bytes: 1, tx_packets: 1, bytes: 2, packets: 2 };

let chdb: ChdbServer | null = null;
beforeAll(async () => {
  chdb = findChdbProblem() === null ? await startChdb() : null;
});
afterAll(() => chdb?.stop());

describe.each(['PostgreSQL', 'ClickHouse'])('a VMID that is assigned again, with flows in %s', (store) => {
  let tenants: Awaited<ReturnType<typeof makeTwoTenants>>;
  let home: { id: string };
  let agent: { authorization: string };
  let time: ReturnType<typeof fakeClock>;
  const sql = () => sqlClient();

  beforeAll(async () => {
    if (store === 'ClickHouse' && !chdb) return;
    await startFreshProcess({ CLICKHOUSE_URL: store === 'ClickHouse' ? (chdb?.url ?? '') : '' });
    await sql()`truncate flow_moves, flow_move_days, flow_storage, flow_outbox, open_conversations, traffic_flows,
      traffic_conversations, flow_rollup_minutes, flow_rollup_hours, flow_unresolved_minutes, traffic_marks, interface_traffic`;
    await prepareFlowStorage(env().DATABASE_URL ?? '');
  });
  beforeEach(async ({ skip }) => {
    skip(store === 'ClickHouse' && !chdb, 'ClickHouse is not installed');
    // Heartbeats come some time after the next guest: what they report may be from before and from after.
    time = fakeClock(new Date(Date.now() + 30 * MINUTE));
    await sql()`truncate rate_limits, address_sightings, unconfirmed_flows`;
    await sql()`delete from clusters`;
    tenants = await makeTwoTenants('viewer');
    const { cluster } = tenants;
    home = await makeNode(cluster);
    agent = await makeAgent(home);
    const [network] = await sql()`insert into networks (id, cluster_id, name, kind, source)
      values (gen_random_uuid(), ${cluster.id}, 'vmbr0', 'bridge', 'provider') returning id`;
    await sql()`insert into subnets (id, cluster_id, network_id, cidr, source)
      values (gen_random_uuid(), ${cluster.id}, ${network?.id ?? ''}, '10.1.0.0/16', 'manual')`;
    await freshAddressBook();
  });
  afterEach(() => time?.restore());

  /** What an agent saw at the interface of a VMID at some times: its connections have source ports from 1. */
  const report = async (vmid: number, times: readonly number[], who = agent) => {
    const seen = { interface: `tap${vmid}i0`, vmid, nic: 0 };
    const observed = times.map((at) => new Date(at).toISOString());
    const flows = observed.map((observed_at, i) =>
      makeFlow({ ...seen, source_ip: `10.1.7.${i + 1}`, destination_ip: OUTSIDE, source_port: i + 1, observed_at }),
    );
    const traffic = observed.map((observed_at) => ({ ...seen, ...COUNTERS, observed_at, collector: 'interface' }));
    const body = makeHeartbeat(flows, {
      sent_at: clock.now().toISOString(),
      interface_traffic: traffic as never,
    });
    const response = await call('/agents/heartbeat', { method: 'POST', body, headers: who });
    expect(response.status, await response.clone().text()).toBe(200);
    return (await response.json()) as { unconfirmed?: number };
  };
  const resolveAll = async () => {
    await freshAddressBook();
    while (!(await resolveFlowEnds(undefined, 0)).done);
  };
  const listPorts = async (headers: { authorization: string }) => {
    const since = new Date(clock.now().getTime() - 12 * 60 * MINUTE).toISOString();
    const response = await call(`/flows?limit=200&since=${since}`, { headers });
    expect(response.status).toBe(200);
    const { items } = (await response.json()) as { items: { source_port: number }[] };
    return items.map(({ source_port }) => source_port).sort((a, b) => a - b);
  };
  const listCounted = async (workload: { id: string }) => {
    const rows = await sql()`select observed_at from interface_traffic where workload_id = ${workload.id}`;
    return rows.map(({ observed_at }) => new Date(observed_at).getTime()).sort((a, b) => a - b);
  };
  const listSighted = async (workload: { id: string }) => {
    const rows = await sql()`select host(address) as address from address_sightings where workload_id = ${workload.id}`;
    return rows.map(({ address }) => String(address)).sort();
  };
  /** The guest of `ours` is deleted, and `theirs` creates one that gets its VMID. */
  const takeOver = async (node = home) => {
    const { vmid, id } = tenants.ours.workload;
    await sql()`delete from workloads where id = ${id}`;
    const next = await makeWorkload(tenants.cluster, tenants.theirs.project, { vmid, node_id: node.id });
    await sql()`insert into workload_interfaces (id, workload_id, name, firewall, raw)
      values (gen_random_uuid(), ${next.id}, 'net0', false, '')`;
    await freshAddressBook();
    return { ...next, at: Math.ceil(Date.parse(next.created_at)) + 1 };
  };

  it('shows its next owner exactly what was observed since, also after unknown ends are filled in', async () => {
    const offset = fc.oneof(
      fc.integer({ min: -300 * MINUTE, max: 20 * MINUTE }),
      fc.integer({ min: -5 * MINUTE, max: -2 }),
      fc.constantFrom(-2, 0),
    );
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(offset, { minLength: 1, maxLength: 6 }), fc.boolean(), async (offsets, early) => {
        await sql()`truncate interface_traffic, rate_limits`;
        await sql()`delete from workloads where cluster_id = ${tenants.cluster.id}`;
        tenants.ours.workload = await makeWorkload(tenants.cluster, tenants.ours.project, { node_id: home.id });
        const { vmid, id } = tenants.ours.workload;
        // Some reports arrive while the VMID has no guest at all.
        if (early) {
          await sql()`delete from workloads where id = ${id}`;
          await freshAddressBook();
          await report(
            vmid,
            offsets.map((by) => Date.now() - 1000 - Math.abs(by)),
          );
        }
        const next = await takeOver();
        const times = offsets.map((by) => next.at + by);
        if (!early) await report(vmid, times);
        const own = early ? [] : times.filter((at) => at >= next.at);
        const ports = own.map((at) => times.indexOf(at) + 1).sort((a, b) => a - b);
        for (const step of [freshAddressBook, resolveAll]) {
          await step();
          time.advance(10);
          expect(await listPorts(tenants.theirs.headers)).toEqual(ports);
          expect(await listCounted(next)).toEqual([...own].sort((a, b) => a - b));
          expect(await listSighted(next)).toEqual(ports.map((port) => `10.1.7.${port}`).sort());
        }
      }),
      { numRuns: getRunCount(store === 'PostgreSQL' ? 12 : 5, 60) },
    );
  });

  it('leaves a guest whose VMID is new all that agents saw before its first sync', async () => {
    const vmid = 4711;
    const before = [Date.now() - 200 * MINUTE, Date.now() - MINUTE];
    await report(vmid, before);
    const guest = await makeWorkload(tenants.cluster, tenants.theirs.project, { vmid, node_id: home.id });
    await resolveAll();
    expect(await listPorts(tenants.theirs.headers)).toEqual([1, 2]);
    await report(vmid, [...before, Date.now() - 100 * MINUTE]);
    time.advance(10);
    expect(await listPorts(tenants.theirs.headers)).toEqual([1, 2, 3]);
    expect(await listCounted(guest)).toHaveLength(3);
  });

  it('keeps what waited for the former guest from the next one, and accuses no node', async () => {
    const { vmid } = tenants.ours.workload;
    const other = await makeNode(tenants.cluster);
    const doubtful = await makeAgent(other);
    await placeOn(home, tenants.ours.workload);
    await freshAddressBook();
    expect(await report(vmid, [Date.now() - 2 * MINUTE], doubtful)).toMatchObject({ unconfirmed: 1 });
    await takeOver(other);
    expect(await confirmReports()).toEqual({ confirmed: 0, refused: 0, waiting: 1 });
    await resolveAll();
    expect(await listPorts(tenants.theirs.headers)).toEqual([]);
  });

  it('takes the safe side for the time before history began, of clusters that were there already', async () => {
    const [kept] = await sql()`select at::text as at from history_start`;
    try {
      const guest = await makeWorkload(tenants.cluster, tenants.theirs.project, { vmid: 4712, node_id: home.id });
      const readSince = async () => {
        await sql()`update workloads set name = name || '+' where id = ${guest.id}`;
        return (await freshAddressBook()).placeOf(guest.id)?.vmid_since ?? null;
      };
      const began = Date.now() - 60 * MINUTE;
      await sql()`update history_start set at = ${new Date(began).toISOString()}`;
      expect(await readSince()).toBeNull();
      await sql()`update clusters set created_at = ${new Date(began - MINUTE).toISOString()} where id = ${tenants.cluster.id}`;
      expect(await readSince()).toBe(began);
      await report(4712, [began - MINUTE, began + MINUTE]);
      expect(await listPorts(tenants.theirs.headers)).toEqual([2]);
      // Older than all flows that are kept.
      await sql()`update history_start set at = now() - interval '10 years'`;
      expect(await readSince()).toBeNull();
    } finally {
      await sql()`update history_start set at = ${String(kept?.at)}`;
    }
  });
});
