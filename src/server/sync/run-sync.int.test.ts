import { bench } from '@fabric/simulator/scenarios/registry';
import { smallLab } from '@fabric/simulator/scenarios/small-lab';
import { afterEach, describe, expect, it } from 'vitest';
import { closeEventHub, subscribe } from '@/server/events/event-hub';
import { newId } from '@/server/lib/ids';
import { recordStatements } from '@/test/count-queries';
import { parseNet } from './testing/parse-net.fixture';
import { inventoryWrites, makeSyncLab, type SyncLab } from './testing/sync-lab.fixture';

const DAY = 24 * 60 * 60 * 1000;
let fixture: SyncLab;
let labs = 0;

async function lab() {
  labs += 1;
  fixture = await makeSyncLab({ scenario: smallLab, timeScale: 50 }, `lab ${labs}`);
  return fixture;
}
async function syncedLab() {
  await lab();
  expect((await fixture.sync()).status).toBe('ok');
  return fixture;
}

afterEach(async () => {
  await fixture.close();
});

describe('a sync', () => {
  it('imports exactly what the cluster holds', async () => {
    const { control, sync, workloads, sql, cluster } = await lab();
    const run = await sync();
    expect(run).toMatchObject({ status: 'ok', errors: [], stage: null });
    const guests = [...control.state.guests.values()].sort((a, b) => a.vmid - b.vmid);
    expect(run.counters.guests).toMatchObject({ seen: guests.length, created: guests.length });
    const rows = await workloads();
    expect(
      rows.map(({ vmid, kind, name, node_name, template }) => ({ vmid, kind, name, node_name, template })),
    ).toEqual(
      guests.map((guest) => ({
        vmid: guest.vmid,
        kind: guest.type,
        name: /^(?:name|hostname): (.*)$/m.exec(guest.configText)?.[1],
        node_name: guest.node,
        template: /^template: 1$/m.test(guest.configText),
      })),
    );
    expect(rows.map((row) => row.status)).toEqual(guests.map((guest) => guest.state));
    for (const [index, guest] of guests.entries()) {
      const live = parseNet(guest.configText);
      expect(
        rows[index]?.nics.map(({ name, mac, bridge, firewall, vlan_tag }) => ({
          name,
          mac,
          bridge,
          firewall,
          vlan_tag,
        })),
      ).toEqual(live);
      // Every bridge of the lab exists, so every card is on a network.
      expect(rows[index]?.nics.every((nic) => nic.network === nic.bridge)).toBe(true);
    }
    const networks =
      await sql`select name, kind, node_names, zone, vlan_tag, source from networks where cluster_id = ${cluster.id} order by name`;
    expect(networks).toEqual([
      {
        name: 'apps',
        kind: 'vnet',
        node_names: ['pve1', 'pve2', 'pve3'],
        zone: 'lab',
        vlan_tag: null,
        source: 'provider',
      },
      {
        name: 'dmz',
        kind: 'vnet',
        node_names: ['pve1', 'pve2', 'pve3'],
        zone: 'edge',
        vlan_tag: 30,
        source: 'provider',
      },
      {
        name: 'vmbr0',
        kind: 'bridge',
        node_names: ['pve1', 'pve2', 'pve3'],
        zone: 'localnetwork',
        vlan_tag: null,
        source: 'provider',
      },
      {
        name: 'vmbr1',
        kind: 'bridge',
        node_names: ['pve1', 'pve2', 'pve3'],
        zone: 'localnetwork',
        vlan_tag: null,
        source: 'provider',
      },
    ]);
    const subnets =
      await sql`select s.cidr::text, host(s.gateway) as gateway, array(select host(d) from unnest(s.dns_servers) d) as dns_servers, s.dhcp_enabled, n.name
      from subnets s join networks n on n.id = s.network_id where s.cluster_id = ${cluster.id} order by s.cidr`;
    expect(subnets).toEqual([
      { cidr: '10.60.10.0/24', gateway: '10.60.10.1', dns_servers: ['10.20.22.53'], dhcp_enabled: true, name: 'apps' },
      { cidr: '10.60.30.0/24', gateway: '10.60.30.1', dns_servers: [], dhcp_enabled: false, name: 'dmz' },
    ]);
    const [stored] = await sql`select * from clusters where id = ${cluster.id}`;
    expect(stored).toMatchObject({
      sync_status: 'ok',
      last_sync_error: null,
      provider_name: 'lab',
      quorate: true,
      firewall_enabled: true,
    });
    expect(stored?.tls_ca).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(stored?.entry_points).toEqual(
      control.nodes.map((node) => ({ node: node.name, url: node.url, fingerprint: node.fingerprint256 })),
    );
  });

  it('writes no row when it runs again, with every config read once more', async () => {
    const { sync, settle, sql, simulator } = await syncedLab();
    await settle();
    const before = await inventoryWrites(sql);
    const mark = simulator.log.entries().length;
    const run = await sync();
    expect(run).toMatchObject({ status: 'ok', errors: [] });
    expect(await inventoryWrites(sql)).toEqual(before);
    for (const counters of Object.values(run.counters))
      expect(counters).toMatchObject({ created: 0, changed: 0, removed: 0 });
    const reads = simulator.log
      .entries()
      .slice(mark)
      .filter((entry) => /\/(qemu|lxc)\/\d+\/config$/.test(entry.path));
    expect(reads).toHaveLength(15);
  });

  it('reads configs by itself only where something points to a change', async () => {
    const { sync, settle, control, simulator, ahead } = await syncedLab();
    const configsRead = async () => {
      await settle();
      const mark = simulator.log.entries().length;
      expect((await sync('auto')).status).toBe('ok');
      return simulator.log
        .entries()
        .slice(mark)
        .flatMap((entry) => /\/(?:qemu|lxc)\/(\d+)\/config$/.exec(entry.path)?.[1] ?? [])
        .map(Number)
        .sort();
    };
    expect(await configsRead()).toEqual([]);
    control.setTags(100, ['prod', 'other']);
    control.migrate(101, 'pve1');
    control.setRunState(300, 'running');
    control.lockGuest(102, 'backup');
    control.setConfig(105, { name: 'mail-02' });
    expect(await configsRead()).toEqual([100, 101, 102, 105, 300]);
    expect(await configsRead()).toEqual([]);
    ahead(DAY / 4);
    expect(await configsRead()).toHaveLength(15);
  });

  it('follows changes and keeps the identity of what changed', async () => {
    const { sync, settle, control, workload, sql, cluster } = await syncedLab();
    const [tenant, project] = [newId(), newId()];
    await sql`insert into tenants (id, name) values (${tenant}, ${`tenant ${tenant}`})`;
    await sql`insert into projects (id, tenant_id, name) values (${project}, ${tenant}, 'p')`;
    await sql`update workloads set project_id = ${project} where cluster_id = ${cluster.id} and vmid = 101`;
    const before = await workload(101);
    control.migrate(101, 'pve3');
    control.setConfig(101, {
      name: 'renamed',
      net0: `virtio=${before.nics[0]?.mac.toUpperCase()},bridge=vmbr1,tag=99`,
    });
    control.setRunState(101, 'stopped');
    await settle();
    const run = await sync();
    expect(run.counters.guests).toMatchObject({ changed: 1, created: 0, removed: 0 });
    expect(run.counters.interfaces).toMatchObject({ changed: 1, created: 0, removed: 0 });
    expect(await workload(101)).toMatchObject({
      id: before.id,
      project_id: project,
      name: 'renamed',
      node_name: 'pve3',
      status: 'stopped',
      started_at: null,
      nics: [
        { name: 'net0', mac: before.nics[0]?.mac, bridge: 'vmbr1', network: 'vmbr1', vlan_tag: 99, firewall: false },
      ],
    });
  });

  it('removes a guest that is proved to be gone, with an audit record', async () => {
    const { sync, settle, control, workloads, workload, sql } = await syncedLab();
    const gone = await workload(105);
    control.destroyGuest(105);
    await settle();
    expect((await sync()).counters.guests).toMatchObject({ removed: 1 });
    expect((await workloads()).map((row) => row.vmid)).not.toContain(105);
    expect(await sql`select count(*)::int as n from workload_interfaces where workload_id = ${gone.id}`).toEqual([
      { n: 0 },
    ]);
    const [record] = await sql`select * from audit_records where action = 'workload.removed' order by seq desc limit 1`;
    expect(record).toMatchObject({
      actor_kind: 'system',
      before: { workloads: [{ id: gone.id, external_id: 'qemu/105', name: 'mail-01' }] },
    });
  });

  it.each([
    ['of the same kind', 'qemu'],
    ['of the other kind', 'lxc'],
  ] as const)('takes another guest %s under a known number for what it is', async (_, type) => {
    const { sync, settle, control, workload, sql, cluster } = await syncedLab();
    const [tenant, project, group] = [newId(), newId(), newId()];
    await sql`insert into tenants (id, name) values (${tenant}, ${`tenant ${tenant}`})`;
    await sql`insert into projects (id, tenant_id, name) values (${project}, ${tenant}, 'p')`;
    await sql`insert into security_groups (id, name) values (${group}, ${`group ${group}`})`;
    const before = await workload(100);
    await sql`update workloads set project_id = ${project} where id = ${before.id}`;
    await sql`insert into security_group_members (security_group_id, workload_id) values (${group}, ${before.id})`;
    control.reuseVmid({ vmid: 100, type, node: 'pve1', name: 'stranger', nics: [{ bridge: 'vmbr0' }] });
    await settle();
    expect((await sync()).status).toBe('ok');
    const after = await workload(100);
    expect(after).toMatchObject({ kind: type, name: 'stranger', project_id: null });
    expect(after.id).not.toBe(before.id);
    expect(after.nics).toHaveLength(1);
    expect(await sql`select * from security_group_members where security_group_id = ${group}`).toEqual([]);
    const [record] =
      await sql`select tenant_id from audit_records where action = 'workload.removed' order by seq desc limit 1`;
    expect(record?.tenant_id).toBe(tenant);
    const writes = await inventoryWrites(sql);
    await sync();
    expect(await inventoryWrites(sql)).toEqual(writes);
    expect(cluster.id).toBeDefined();
  });

  it('keeps a container whose first card got another address', async () => {
    const { sync, settle, control, workload } = await syncedLab();
    const ct = [...control.state.guests.values()].find((guest) => guest.type === 'lxc' && guest.state === 'running');
    if (!ct) throw new Error('no container in the lab');
    control.setConfig(ct.vmid, { net1: 'name=eth1,bridge=vmbr0,hwaddr=BC:24:11:AA:BB:CC,type=veth' });
    await settle();
    await sync();
    const before = await workload(ct.vmid);
    expect(before.nics).toHaveLength(2);
    control.setConfig(ct.vmid, { net0: 'name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:11:22,type=veth' });
    await settle();
    await sync();
    expect((await workload(ct.vmid)).id).toBe(before.id);
  });

  it('keeps user edits and does not list them among its changes', async () => {
    const { sync, sql, cluster } = await syncedLab();
    await sql`update networks set description = 'uplink', version = 2 where cluster_id = ${cluster.id} and name = 'vmbr0'`;
    await sql`update subnets set dns_servers = '{9.9.9.9}', dhcp_enabled = false, version = 2 where cluster_id = ${cluster.id} and cidr = '10.60.10.0/24'`;
    const writes = await inventoryWrites(sql);
    await sync();
    expect(await inventoryWrites(sql)).toEqual(writes);
    expect(
      await sql`select array(select host(d) from unnest(dns_servers) d) as dns_servers, dhcp_enabled from subnets where cluster_id = ${cluster.id} and cidr = '10.60.10.0/24'`,
    ).toEqual([{ dns_servers: ['9.9.9.9'], dhcp_enabled: false }]);
  });

  it('removes virtual networks that are gone and unused, and keeps those on which something hangs', async () => {
    const { sync, sql, cluster, control } = await syncedLab();
    await sql`update networks set description = 'ours', version = 2 where cluster_id = ${cluster.id} and name = 'dmz'`;
    control.state.change(() => {
      control.state.sdn.staged.vnets.delete('dmz');
      control.state.sdn.staged.vnets.set('new', { vnet: 'new', type: 'vnet', zone: 'edge', tag: 31 });
      control.state.sdn.staged.vnets.delete('lab2');
      control.state.applySdn();
    });
    const run = await sync();
    expect(run.counters.sdn).toMatchObject({ created: 1 });
    const names = async () =>
      sql`select name, missing_since is not null as missing from networks where cluster_id = ${cluster.id} and kind = 'vnet' order by name`;
    expect(await names()).toEqual([
      { name: 'apps', missing: false },
      { name: 'dmz', missing: true },
      { name: 'new', missing: false },
    ]);
    control.state.change(() => {
      control.state.sdn.staged.vnets.delete('new');
      control.state.applySdn();
    });
    expect((await sync()).counters.sdn).toMatchObject({ removed: 1 });
    expect((await names()).map((row) => row.name)).toEqual(['apps', 'dmz']);
  });

  it('notes members that left, and removes them after a day', async () => {
    const { sync, settle, sql, cluster, control, ahead } = await syncedLab();
    for (const guest of control.state.guestsOn('pve3')) control.migrate(guest.vmid, 'pve1');
    const pve3 = control.state.nodes.get('pve3');
    control.state.change(() => control.state.nodes.delete('pve3'));
    await settle();
    await sync();
    const nodes = () =>
      sql`select name, status, missing_since is not null as missing, fault is not null as faulty from nodes where cluster_id = ${cluster.id} order by name`;
    expect(await nodes()).toContainEqual({ name: 'pve3', status: 'unknown', missing: true, faulty: true });
    ahead(DAY);
    await sync();
    expect((await nodes()).map((node) => node.name)).toEqual(['pve1', 'pve2']);
    expect(pve3).toBeDefined();
  });
});

describe('the cost of a sync', () => {
  /** Statements about guests and their cards in a first sync of a generated cluster. */
  async function guestStatements(guests: number): Promise<string[]> {
    labs += 1;
    fixture = await makeSyncLab({ scenario: bench(2, guests), timeScale: 50 }, `bench ${labs}`);
    const { result, statements } = await recordStatements(() => fixture.sync());
    expect(result).toMatchObject({ status: 'ok', errors: [] });
    expect(await fixture.workloads()).toHaveLength(guests);
    return statements.filter((text) => /"workloads"|"workload_interfaces"/.test(text)).sort();
  }

  it('takes the same number of statements for any number of guests in a batch', async () => {
    const few = await guestStatements(20);
    await fixture.close();
    const many = await guestStatements(180);
    expect(many).toHaveLength(few.length);
    expect(few.length).toBeLessThanOrEqual(14);
  });

  it('publishes changes of the run at most twice a second', async () => {
    const { simulator, sync } = await lab();
    simulator.onRequest({ path: /\/config$/ }, { kind: 'delay', ms: 20_000 });
    const found: number[] = [];
    const stop = await subscribe((message) => {
      if (message.type === 'sync_run.changed') found.push(performance.now());
    });
    const started = performance.now();
    await sync();
    const seconds = (performance.now() - started) / 1000;
    stop();
    await closeEventHub();
    expect(seconds).toBeGreaterThan(1);
    // The request and the end are always told.
    expect(found.length).toBeLessThanOrEqual(2 * seconds + 3);
    expect(found.length).toBeGreaterThanOrEqual(seconds + 2);
  });
});
