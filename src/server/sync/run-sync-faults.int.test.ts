import { startSimulator } from '@fabric/simulator/http-server';
import { chaos } from '@fabric/simulator/scenarios/chaos';
import { smallLab } from '@fabric/simulator/scenarios/small-lab';
import { afterEach, describe, expect, it } from 'vitest';
import { systemScope } from '@/server/auth/scope';
import { openProvider } from '../inventory/cluster-access';
import { storedSettings } from '../settings/settings';
import { updateCluster } from './clusters';
import { inventoryWrites, makeSyncLab, type SyncLab } from './testing/sync-lab.fixture';

const DAY = 24 * 60 * 60 * 1000;
const scope = systemScope('cluster:write', 'test');
let fixture: SyncLab;
let labs = 0;

async function lab(scenario = smallLab) {
  labs += 1;
  fixture = await makeSyncLab({ scenario, timeScale: 50 }, `lab ${labs}`);
  return fixture;
}
async function syncedLab() {
  await lab();
  expect((await fixture.sync()).status).toBe('ok');
  return fixture;
}
const storedCluster = async ({ sql, cluster }: SyncLab) =>
  (await sql`select * from clusters where id = ${cluster.id}`)[0];

afterEach(() => fixture.close());

describe('what is not proved to be gone stays', () => {
  it('keeps guests of a node that is down; the others update', async () => {
    const { sync, settle, control, workloads, workload, sql, cluster } = await syncedLab();
    const before = await workloads();
    await control.setNode('pve3', 'down');
    control.setTags(100, ['changed']);
    // Statistics of a dead node are dropped after five minutes.
    await fixture.simulator.clock.advance(320_000);
    const run = await sync();
    expect(run.status).toBe('ok');
    expect(run.errors.map(({ stage, code, object }) => ({ stage, code, object }))).toContainEqual({
      stage: 'nodes',
      code: 'node_offline',
      object: 'pve3',
    });
    const after = await workloads();
    expect(after.map((row) => row.id)).toEqual(before.map((row) => row.id));
    for (const [index, row] of after.entries()) {
      expect(row.nics).toEqual(before[index]?.nics);
      if (row.node_name !== 'pve3') continue;
      expect(row).toMatchObject({
        status: 'unknown',
        name: before[index]?.name,
        tags: before[index]?.tags,
        missing_since: null,
      });
    }
    expect((await workload(100)).tags).toEqual(['changed']);
    expect(await sql`select name, status, fault from nodes where cluster_id = ${cluster.id} and name = 'pve3'`).toEqual(
      [{ name: 'pve3', status: 'offline', fault: 'The node is offline.' }],
    );
    expect(
      await sql`select name, node_names, missing_since from networks where cluster_id = ${cluster.id} and name = 'vmbr1'`,
    ).toEqual([{ name: 'vmbr1', node_names: ['pve1', 'pve2', 'pve3'], missing_since: null }]);
    await control.setNode('pve3', 'up');
    await settle();
    await settle();
    expect((await sync()).errors).toEqual([]);
    expect((await workloads()).map((row) => [row.id, row.status])).toEqual(before.map((row) => [row.id, row.status]));
  });

  it('uses another node when the entry node is down', async () => {
    const { sync, control } = await syncedLab();
    await control.setNode('pve1', 'refusing');
    const run = await sync();
    expect(run.status).toBe('ok');
  });

  it('fails immediately when every node refuses connections', async () => {
    const { sync, control, workloads } = await syncedLab();
    const before = await workloads();
    for (const node of ['pve1', 'pve2', 'pve3']) await control.setNode(node, 'refusing');
    const run = await sync();
    expect(run).toMatchObject({ status: 'failed', errors: [{ stage: 'connect', code: 'unreachable' }] });
    expect(await storedCluster(fixture)).toMatchObject({ sync_status: 'failed', last_sync_error_code: 'unreachable' });
    expect(await workloads()).toHaveLength(before.length);
    // A user who fixes the cluster and retries does not have to wait.
    for (const node of ['pve1', 'pve2', 'pve3']) await control.setNode(node, 'up');
    expect((await sync()).status).toBe('ok');
  });

  it('keeps everything when the token loses its rights', async () => {
    const { sync, control, workloads, cluster, sql } = await syncedLab();
    const before = await workloads();
    await updateCluster(scope, cluster.id, { api_token: control.tokens.empty });
    const run = await sync();
    expect(run.status).toBe('ok');
    expect(run.errors.map((error) => error.code)).toEqual(expect.arrayContaining(['mass_absence', 'incomplete']));
    const after = await workloads();
    expect(after.map((row) => row.id)).toEqual(before.map((row) => row.id));
    expect(after.every((row) => row.missing_since !== null)).toBe(true);
    expect(await sql`select count(*)::int as n from networks where cluster_id = ${cluster.id}`).toEqual([{ n: 4 }]);
    expect((await storedCluster(fixture))?.firewall_enabled).toBeNull();
    // Even after the hold is over: absence that cannot be proved never removes.
    fixture.ahead(DAY);
    await sync();
    expect(await workloads()).toHaveLength(before.length);
    await updateCluster(scope, cluster.id, { api_token: control.tokens.manager });
    expect((await sync()).errors).toEqual([]);
    expect((await workloads()).every((row) => row.missing_since === null)).toBe(true);
  });

  it('keeps guests for a day when most of them vanish in one sync', async () => {
    const { sync, settle, control, workloads } = await syncedLab();
    const vmids = (await workloads()).map((row) => row.vmid);
    for (const vmid of vmids.slice(0, 9)) control.destroyGuest(vmid);
    await settle();
    const run = await sync();
    expect(run.errors).toMatchObject([
      { stage: 'guests', code: 'mass_absence', remedy: expect.stringContaining('a day') },
    ]);
    expect(run.counters.guests).toMatchObject({ removed: 0, changed: 9 });
    expect(await workloads()).toHaveLength(vmids.length);
    fixture.ahead(DAY / 2);
    expect((await sync()).counters.guests).toMatchObject({ removed: 0 });
    fixture.ahead(DAY / 2);
    expect((await sync()).counters.guests).toMatchObject({ removed: 9 });
    expect((await workloads()).map((row) => row.vmid)).toEqual(vmids.slice(9));
  });

  it('keeps everything when quorum is lost', async () => {
    const { sync, settle, control, workloads } = await syncedLab();
    control.setQuorum(false);
    control.destroyGuest(105);
    await settle();
    await sync();
    expect((await workloads()).map((row) => row.vmid)).toContain(105);
    expect((await storedCluster(fixture))?.quorate).toBe(false);
  });

  it.each([
    ['truncated', { kind: 'truncate' }],
    ['garbage', { kind: 'garbage' }],
    ["a proxy's page", { kind: 'html-502' }],
    ['an empty list', { kind: 'respond', status: 200, body: '{"data":null}' }],
    ['an object', { kind: 'respond', status: 200, body: '{"data":{"a":1}}' }],
  ] as const)('keeps everything when the list of guests is %s', async (_, fault) => {
    const { sync, simulator, workloads, sql } = await syncedLab();
    const before = await inventoryWrites(sql);
    simulator.onRequest({ path: '/cluster/resources' }, fault);
    const run = await sync();
    if (run.status === 'failed') {
      expect(run.errors.at(-1)?.remedy).toEqual(expect.any(String));
      expect(await inventoryWrites(sql)).toEqual(before);
    }
    expect(await workloads()).toHaveLength(15);
    simulator.clearFaults();
    expect((await sync()).status).toBe('ok');
  });
});

describe('a sync that fails', () => {
  it('stores why with the remedy, audits it, and keeps the inventory', async () => {
    const { sync, control, sql, cluster } = await syncedLab();
    const before = await inventoryWrites(sql);
    const last = (await storedCluster(fixture))?.last_sync_at;
    control.revokeToken(control.tokens.manager);
    const run = await sync();
    expect(run).toMatchObject({
      status: 'failed',
      stage: 'connect',
      errors: [{ stage: 'connect', code: 'unauthorized' }],
    });
    const stored = await storedCluster(fixture);
    expect(stored).toMatchObject({ sync_status: 'failed', last_sync_error_code: 'unauthorized', last_sync_at: last });
    expect(stored?.last_sync_error).toContain('token');
    expect(JSON.stringify([run, stored])).not.toContain(control.tokens.manager.split('=')[1]);
    expect(await inventoryWrites(sql)).toEqual(before);
    const [record] = await sql`select * from audit_records where object_id = ${cluster.id} order by seq desc limit 1`;
    expect(record).toMatchObject({
      action: 'cluster.sync_failed',
      actor_kind: 'system',
      after: { run_id: run.id, code: 'unauthorized' },
    });
  });

  it('leaves the time of the last automatic sync: only a success counts', async () => {
    const { sync, control, cluster, ahead } = await lab();
    const last = async () => (await storedSettings()).last_node_auto_sync_at ?? null;
    const before = await last();
    expect((await sync('manual')).status).toBe('ok');
    control.revokeToken(control.tokens.manager);
    expect((await sync('auto')).status).toBe('failed');
    expect(await last()).toBe(before);
    await updateCluster(scope, cluster.id, { api_token: control.tokens.reader });
    ahead(1000);
    expect((await sync('auto')).status).toBe('ok');
    expect(await last()).toBe((await storedCluster(fixture))?.last_sync_at.toISOString());
  });

  it('recovers as soon as the cause is gone', async () => {
    const { sync, control, cluster } = await syncedLab();
    control.revokeToken(control.tokens.manager);
    expect((await sync()).status).toBe('failed');
    await updateCluster(scope, cluster.id, { api_token: control.tokens.reader });
    expect(await sync()).toMatchObject({ status: 'ok', errors: [] });
    expect(await storedCluster(fixture)).toMatchObject({
      sync_status: 'ok',
      last_sync_error: null,
      last_sync_error_code: null,
    });
  });

  it('refuses another cluster at the same address', async () => {
    const { sync, cluster, sql, workloads } = await syncedLab();
    const other = await startSimulator({ scenario: { ...chaos, clusters: chaos.clusters.slice(0, 1) }, timeScale: 50 });
    try {
      const target = other.cluster();
      await updateCluster(scope, cluster.id, {
        api_url: target.nodes[0]?.url,
        api_token: target.tokens.manager,
        tls_fingerprint: target.nodes[0]?.fingerprint256,
      });
      const before = await inventoryWrites(sql);
      expect(await sync()).toMatchObject({ status: 'failed', errors: [{ code: 'different_cluster' }] });
      expect(await inventoryWrites(sql)).toEqual(before);
      expect(await workloads()).toHaveLength(15);
    } finally {
      await other.close();
    }
  });

  it('does not need the SDN', async () => {
    const { sync, simulator, sql, cluster } = await syncedLab();
    simulator.onRequest(
      { path: '/cluster/sdn/vnets' },
      { kind: 'respond', status: 403, reason: 'Permission check failed' },
    );
    const run = await sync();
    expect(run).toMatchObject({ status: 'ok', errors: [{ stage: 'sdn', code: 'forbidden' }] });
    expect(
      await sql`select zone, vlan_tag, missing_since from networks where cluster_id = ${cluster.id} and name = 'dmz'`,
    ).toEqual([{ zone: 'edge', vlan_tag: 30, missing_since: null }]);
  });

  it('reports a config that cannot be read and reads it the next time', async () => {
    const { sync, settle, simulator, control, workload } = await syncedLab();
    control.setConfig(100, { net0: 'virtio=BC:24:11:99:99:99,bridge=vmbr1' });
    control.setTags(100, ['x']);
    await settle();
    const fault = simulator.onRequest(
      { path: '/nodes/pve1/qemu/100/config' },
      { kind: 'respond', status: 500, reason: 'broken' },
    );
    const run = await sync('auto');
    expect(run.status).toBe('ok');
    expect(run.errors).toMatchObject([{ stage: 'interfaces', object: 'qemu/100' }]);
    expect((await workload(100)).nics[0]?.bridge).toBe('vmbr0');
    fault.remove();
    await sync('auto');
    expect((await workload(100)).nics[0]?.bridge).toBe('vmbr1');
  });
});

it('follows a renewed certificate that the cluster vouches for, and stores the new pin', async () => {
  const { sync, control, sql, cluster } = await syncedLab();
  const before = await storedCluster(fixture);
  const renewed = control.renewCertificate('pve1');
  expect(await sync()).toMatchObject({ status: 'ok', errors: [] });
  expect(await storedCluster(fixture)).toMatchObject({
    tls_fingerprint: renewed,
    version: Number(before?.version) + 1,
  });
  const [record] =
    await sql`select * from audit_records where action = 'cluster.certificate_renewed' and object_id = ${cluster.id}`;
  expect(record).toMatchObject({
    before: { tls_fingerprint: before?.tls_fingerprint },
    after: { tls_fingerprint: renewed },
  });
});

it('stores everything else when something cannot be stored', async () => {
  const { sync, workloads, workload } = await lab();
  const spoilt: typeof openProvider = (access, options) => {
    const provider = openProvider(access, options);
    return {
      ...provider,
      close: () => provider.close(),
      inventory: {
        ...provider.inventory,
        async listGuests() {
          const listing = await provider.inventory.listGuests();
          const items = listing.items.map((fact) => (fact.vmid === 101 ? { ...fact, name: 'nul \u0000' } : fact));
          return { ...listing, items: items.map((fact) => (fact.vmid === 102 ? { ...fact, cpu_count: 1e12 } : fact)) };
        },
        async readGuestConfig(guest) {
          const config = await provider.inventory.readGuestConfig(guest);
          if (guest.vmid !== 103) return config;
          return { ...config, nics: config.nics.map((nic) => ({ ...nic, vlan_tag: 5000 })) };
        },
      },
    };
  };
  const run = await sync('manual', { openProvider: spoilt });
  expect(run.status).toBe('ok');
  expect(run.errors.map(({ stage, code, object }) => `${stage} ${code} ${object}`).sort()).toEqual([
    'guests unstorable qemu/101',
    'guests unstorable qemu/102',
    'interfaces unstorable qemu/103',
  ]);
  expect((await workloads()).map((row) => row.vmid)).not.toContain(101);
  expect(await workloads()).toHaveLength(13);
  expect((await workload(103)).nics).toEqual([]);
  expect((await workloads()).filter((row) => row.vmid !== 103).every((row) => row.nics.length > 0)).toBe(true);
  expect(await sync()).toMatchObject({ status: 'ok', errors: [] });
  expect(await workloads()).toHaveLength(15);
});

it('stops asking as soon as the access is refused', async () => {
  const { sync, simulator, control } = await syncedLab();
  let configs = 0;
  const mark = simulator.log.entries().length;
  simulator.onRequest(
    { path: /\/config$/ },
    { kind: 'hook', before: () => control.revokeToken(control.tokens.manager) },
    { times: 1, skip: 3 },
  );
  const run = await sync();
  configs = simulator.log
    .entries()
    .slice(mark)
    .filter((entry) => /\/config$/.test(entry.path)).length;
  expect(run).toMatchObject({
    status: 'failed',
    stage: 'interfaces',
    errors: [{ stage: 'interfaces', code: 'unauthorized' }],
  });
  expect(configs).toBeLessThan(15);
});

it('takes in a cluster full of oddities, twice', async () => {
  const { sync, settle, sql, workload } = await lab({ ...chaos, clusters: chaos.clusters.slice(0, 1) });
  const run = await sync();
  expect(run.status).toBe('ok');
  expect(run.counters.guests?.created).toBeGreaterThan(30);
  expect((await workload(206)).nics).toEqual([]);
  expect((await workload(207)).nics).toHaveLength(8);
  expect((await workload(217)).nics).toMatchObject([{ bridge: 'gone', network: null }]);
  await settle();
  const before = await inventoryWrites(sql);
  await sync();
  expect(await inventoryWrites(sql)).toEqual(before);
});
