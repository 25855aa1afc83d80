import { describe, expect, it } from 'vitest';
import { guestFact } from '../../guest-fact.fixture';
import type { GuestFact } from '../../types';
import { simulate } from '../testing/simulated.fixture';

const findByVmid = (guests: GuestFact[], vmid: number) => guests.find((guest) => guest.vmid === vmid);

describe('the cluster', () => {
  it('tells version, name, quorum, firewall and its CA', async () => {
    const { cluster, provider } = await simulate();
    expect(await provider().inventory.readCluster()).toEqual({
      version: '9.2.11',
      name: 'lab',
      quorate: true,
      firewall_enabled: true,
      missing_write_privileges: [],
      tls_ca: cluster.nodes[0]?.caPem,
    });
  });

  it('names what a read-only token lacks, and nothing for a token that can write somewhere', async () => {
    const { provider, access } = await simulate();
    const missing = async (token: 'reader' | 'guestManager') =>
      (await provider(access(token)).inventory.readCluster()).missing_write_privileges;
    expect(await missing('reader')).toEqual(['VM.Config.Network', 'SDN.Use']);
    expect(await missing('guestManager')).toEqual([]);
  });

  it('says null for what a token may not read', async () => {
    const { provider, access, cluster } = await simulate();
    const inventory = provider(access('empty')).inventory;
    expect(await inventory.readCluster()).toMatchObject({
      version: '9.2.11',
      name: null,
      quorate: null,
      firewall_enabled: null,
      missing_write_privileges: ['VM.Config.Network', 'SDN.Use'],
      tls_ca: cluster.nodes[0]?.caPem,
    });
    const nodes = await inventory.listNodes();
    expect(nodes).toMatchObject({ complete: true });
    expect(nodes.items[0]).toMatchObject({
      name: 'pve1',
      status: 'online',
      address: null,
      provider_version: null,
      nftables: null,
      cpu_count: null,
    });
  });
});

describe('nodes', () => {
  it('come with address, fingerprint, version and size', async () => {
    const { cluster, provider } = await simulate();
    const { items, complete } = await provider().inventory.listNodes();
    expect(complete).toBe(true);
    expect(items.map(({ name }) => name)).toEqual(['pve1', 'pve2', 'pve3']);
    expect(items[0]).toMatchObject({
      status: 'online',
      address: cluster.node('pve1').ip,
      tls_fingerprint: cluster.node('pve1').fingerprint256,
      provider_version: '9.2.11',
      nftables: false,
      cpu_count: 16,
      memory_bytes: 64 * 1024 ** 3,
      uptime_seconds: expect.any(Number),
    });
  });
});

describe('guests', () => {
  it('include templates and stopped ones', async () => {
    const { provider } = await simulate();
    const { items, complete, incompleteReason } = await provider().inventory.listGuests();
    expect({ complete, incompleteReason }).toEqual({ complete: true, incompleteReason: null });
    expect(items).toHaveLength(15);
    expect(findByVmid(items, 102)).toEqual(
      guestFact({
        kind: 'qemu',
        vmid: 102,
        node: 'pve3',
        external_id: 'qemu/102',
        runtime_known: true,
        name: 'db-01',
        status: 'running',
        template: false,
        tags: ['prod', 'db'],
        pool: 'production',
        pool_known: true,
        lock: null,
        ha_state: 'started',
        cpu_count: 8,
        memory_bytes: 16 * 1024 ** 3,
        uptime_seconds: expect.any(Number),
      }),
    );
    expect(findByVmid(items, 300)).toMatchObject({ status: 'stopped', tags: [], pool: null, pool_known: true });
    expect(findByVmid(items, 901)).toMatchObject({ kind: 'lxc', template: true, status: 'stopped' });
  });

  it('have their live interfaces', async () => {
    const { provider } = await simulate();
    const { inventory } = provider();
    const db = await inventory.readGuestConfig({ node: 'pve3', kind: 'qemu', vmid: 102 });
    expect(db).toMatchObject({
      node: 'pve3',
      name: 'db-01',
      unreadable: [],
      digest: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    expect(db.creation_fingerprint).toMatch(/^uuid:[0-9a-f-]{36}$/);
    expect(db.nics).toMatchObject([
      { name: 'net0', model: 'virtio', bridge: 'vmbr0', vlan_tag: 21, firewall: true, pending: false, ip_config: null },
      { name: 'net1', bridge: 'vmbr1', vlan_tag: null, firewall: false },
    ]);
    const web = await inventory.readGuestConfig({ node: 'pve1', kind: 'qemu', vmid: 100 });
    expect(web.nics[0]?.ip_config).toEqual({ ip: '10.20.20.11/24', gw: '10.20.20.1' });
    const dns = await inventory.readGuestConfig({ node: 'pve1', kind: 'lxc', vmid: 200 });
    expect(dns.nics[0]).toMatchObject({
      guest_name: 'eth0',
      model: 'veth',
      ip_config: { ip: '10.20.22.53/24', gw: '10.20.22.1' },
    });
    expect(dns.creation_fingerprint).toBe(`mac:${dns.nics[0]?.mac}`);
  });

  it('report an interface that cannot be parsed instead of guessing', async () => {
    const { cluster, provider } = await simulate();
    cluster.setConfig(102, { net1: 'hyperlink=BC:24:11:00:00:01,bridge=vmbr1' });
    const { nics, unreadable } = await provider().inventory.readGuestConfig({ node: 'pve3', kind: 'qemu', vmid: 102 });
    expect(nics.map(({ name }) => name)).toEqual(['net0']);
    expect(unreadable).toEqual([{ name: 'net1', reason: 'no known NIC model' }]);
  });
});

describe('networks', () => {
  it('include the bridges of a node and its vnets', async () => {
    const { provider } = await simulate();
    const { items, complete } = await provider().inventory.listNodeNetworks('pve2');
    expect(complete).toBe(true);
    expect(items.map(({ name, kind, zone }) => [name, kind, zone])).toEqual([
      ['vmbr0', 'bridge', 'localnetwork'],
      ['vmbr1', 'bridge', 'localnetwork'],
      ['apps', 'vnet', null],
      ['dmz', 'vnet', null],
    ]);
    expect(items[0]).toMatchObject({ vlan_aware: true, node_names: ['pve2'] });
    expect(items[2]).toMatchObject({ alias: 'Applications' });
  });

  it('include the running vnets of the cluster, not those under edit', async () => {
    const { provider } = await simulate();
    const { networks, subnets } = await provider().inventory.listSdn();
    expect(networks).toMatchObject({ complete: true });
    expect(networks.items.map(({ name }) => name)).toEqual(['apps', 'dmz']);
    expect(networks.items[1]).toMatchObject({
      zone: 'edge',
      vlan_tag: 30,
      alias: 'DMZ',
      node_names: ['pve1', 'pve2', 'pve3'],
    });
    expect(subnets.items).toEqual([
      {
        network: 'apps',
        cidr: '10.60.10.0/24',
        gateway: '10.60.10.1',
        dns_servers: ['10.20.22.53'],
        dhcp_enabled: true,
      },
      { network: 'dmz', cidr: '10.60.30.0/24', gateway: '10.60.30.1', dns_servers: [], dhcp_enabled: false },
    ]);
  });

  it('count as incomplete for a token without rights on them', async () => {
    const { provider, access } = await simulate();
    const { inventory } = provider(access('empty'));
    expect(await inventory.listNodeNetworks('pve1')).toMatchObject({ items: [], complete: false });
    const { networks, subnets } = await inventory.listSdn();
    expect([networks, subnets]).toMatchObject([
      { items: [], complete: false, incompleteReason: expect.stringContaining('SDN.Audit') },
      { items: [], complete: false },
    ]);
  });
});

describe('answers with wrong types', () => {
  const respond = (data: unknown) => ({
    kind: 'respond' as const,
    status: 200,
    body: JSON.stringify({ data }),
    contentType: 'application/json',
  });
  const guest = { type: 'qemu', vmid: 100, node: 'pve1', status: 'running', name: 'web', uptime: 5 };

  it('cost only the element that contains them, which is reported', async () => {
    const { simulator, provider } = await simulate();
    const wrong = [
      { ...guest, vmid: 'many' },
      { ...guest, vmid: 99 },
      { ...guest, node: '../../etc' },
      { ...guest, name: { nested: true } },
      'text',
      null,
    ];
    simulator.onRequest(
      { path: '/cluster/resources' },
      respond([guest, ...wrong, { ...guest, vmid: '101', uptime: '7', unknown_field: [] }]),
    );
    const test = provider();
    const listing = await test.inventory.listGuests();
    expect(listing.items.map(({ vmid, uptime_seconds }) => [vmid, uptime_seconds])).toEqual([
      [100, 5],
      [101, 7],
    ]);
    expect(listing).toMatchObject({
      complete: false,
      incompleteReason: expect.stringContaining('6 of 8 guests could not be read'),
    });
    expect(test.warnings).toHaveLength(1);
  });

  it('keep only what the service stores', async () => {
    const { simulator, provider } = await simulate();
    const tags = Array.from({ length: 200 }, (_, i) => `tag${i}`).join(';');
    simulator.onRequest(
      { path: '/cluster/resources' },
      respond([{ ...guest, name: `evil\n\u0000\u2028${'x'.repeat(9000)}`, tags }]),
    );
    const { items } = await provider().inventory.listGuests();
    expect(items[0]?.name).toMatch(/^evil x{250}$/);
    expect(items[0]?.tags).toHaveLength(64);
  });

  it.each([{ data: null }, { data: 'text' }, { data: { a: 1 } }])(
    'cause an error when they are not a list: %j',
    async ({ data }) => {
      const { simulator, provider } = await simulate();
      simulator.onRequest({ path: '/cluster/resources' }, respond(data));
      await expect(provider().inventory.listGuests()).rejects.toMatchObject({ code: 'bad_answer' });
    },
  );

  it('stop at a number that no cluster reaches', async () => {
    const { simulator, provider } = await simulate();
    const many = Array.from({ length: 50_010 }, (_, i) => ({ ...guest, vmid: 100 + i }));
    simulator.onRequest({ path: '/cluster/resources' }, respond(many));
    const { items, incompleteReason } = await provider().inventory.listGuests();
    expect(items).toHaveLength(50_000);
    expect(incompleteReason).toContain('only the first 50000 of 50010 guests');
  });
});
