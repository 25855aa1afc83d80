import { describe, expect, it } from 'vitest';
import type { GuestRef } from '../../types';
import { simulate } from '../testing/simulated.fixture';

const web: GuestRef = { node: 'pve1', kind: 'qemu', vmid: 100 };
const configPath = /^\/nodes\/pve1\/qemu\/100\/config$/;

describe('a guest that migrates', () => {
  it('appears on its new node when it moves between the list and the read', async () => {
    const { cluster, provider } = await simulate();
    cluster.migrate(100, 'pve3');
    await expect(provider().inventory.readGuestConfig(web)).resolves.toMatchObject({ node: 'pve3', name: 'web-01' });
  });

  it('appears on its new node when it moves right after the list was read', async () => {
    const { cluster, provider } = await simulate('pve9', 0);
    const { inventory } = provider();
    await inventory.listGuests();
    cluster.migrate(100, 'pve3');
    await expect(inventory.readGuestConfig(web)).resolves.toMatchObject({ node: 'pve3' });
  });

  it('appears on its new node when it moves between two reads of one configuration', async () => {
    const { simulator, cluster, provider } = await simulate();
    simulator.onRequest(
      { path: configPath },
      { kind: 'hook', before: () => cluster.migrate(100, 'pve2') },
      { times: 1 },
    );
    await expect(provider().inventory.readGuestConfig(web)).resolves.toMatchObject({ node: 'pve2' });
  });

  it('causes one lookup, not an endless search', async () => {
    const { simulator, cluster, provider } = await simulate();
    // It migrates on every read of its configuration.
    let moves = 0;
    const flee = () => cluster.migrate(100, `pve${(++moves % 3) + 1}`);
    simulator.onRequest({ path: /\/qemu\/100\/config$/ }, { kind: 'hook', before: flee });
    await expect(provider().inventory.readGuestConfig(web)).rejects.toMatchObject({ code: 'not_found' });
    expect(simulator.log.entries({ path: /\/qemu\/100\/config$/ })).toHaveLength(2);
  });

  it('appears with its id only until its new node reports, and keeps its name', async () => {
    const { simulator, cluster, provider } = await simulate('pve9', 0);
    const { inventory } = provider();
    cluster.migrate(100, 'pve3');
    await simulator.clock.advance(2_100);
    const moved = (await inventory.listGuests()).items.find(({ vmid }) => vmid === 100);
    expect(moved).toMatchObject({
      node: 'pve3',
      status: 'unknown',
      runtime_known: false,
      name: null,
      template: null,
      tags: null,
      pool_known: false,
    });
    await simulator.clock.advance(12_100);
    const later = (await inventory.listGuests()).items.find(({ vmid }) => vmid === 100);
    expect(later).toMatchObject({ node: 'pve3', runtime_known: true, name: 'web-01' });
  });
});

describe('a guest that high availability restarts after its node died', () => {
  it('stays unknown for a while, never absent, and is then present on another node', async () => {
    const { simulator, cluster, provider } = await simulate('pve9', 20);
    const { inventory } = provider();
    const db: GuestRef = { node: 'pve3', kind: 'qemu', vmid: 102 };
    await cluster.setNode('pve3', 'down');
    await simulator.clock.advance(310_000);
    expect((await inventory.listGuests()).items.find(({ vmid }) => vmid === 102)).toMatchObject({
      status: 'unknown',
      node: 'pve3',
    });
    expect(await inventory.guestPresence(db)).toBe('present');
    cluster.migrate(102, 'pve1');
    await simulator.clock.advance(2_100);
    await expect(inventory.readGuestConfig(db)).resolves.toMatchObject({ node: 'pve1' });
    expect(await inventory.guestPresence(db)).toBe('present');
  });
});

describe('a guest that is gone', () => {
  it('counts as absent by the answer of a node with quorum', async () => {
    const { cluster, provider } = await simulate();
    cluster.destroyGuest(100);
    expect(await provider().inventory.guestPresence(web)).toBe('absent');
  });

  it('counts as absent even when its node left the cluster', async () => {
    const { cluster, provider } = await simulate();
    cluster.destroyGuest(100);
    expect(await provider().inventory.guestPresence({ ...web, node: 'pve-old' })).toBe('absent');
  });

  it('stays unknown to a token that could not see it anyway', async () => {
    const { cluster, provider, access } = await simulate();
    const { inventory } = provider(access('empty'));
    expect(await inventory.guestPresence(web)).toBe('unknown');
    cluster.destroyGuest(100);
    expect(await inventory.guestPresence(web)).toBe('unknown');
  });

  it('stays unknown when one guest alone is hidden from the token', async () => {
    const { cluster, provider, access } = await simulate();
    const id = cluster.tokens.reader.split('=')[0] ?? '';
    cluster.state.access.grant({ path: '/vms/300', subject: id, role: 'NoAccess', propagate: true });
    const { inventory } = provider(access('reader'));
    expect((await inventory.listGuests()).items.map(({ vmid }) => vmid)).not.toContain(300);
    expect(await inventory.guestPresence({ node: 'pve2', kind: 'qemu', vmid: 300 })).toBe('unknown');
  });

  it('stays unknown while the node has no quorum', async () => {
    const { cluster, provider } = await simulate();
    cluster.setQuorum(false);
    cluster.destroyGuest(100);
    expect(await provider().inventory.guestPresence(web)).toBe('unknown');
  });

  it('stays unknown to a token that cannot read whether the node has quorum', async () => {
    const { cluster, provider, access } = await simulate();
    const rights = cluster.state.access;
    const subject = cluster.tokens.reader.split('=')[0] ?? '';
    rights.addRole(
      'NoSysAudit',
      (rights.roles.get('PVEAuditor') ?? []).filter((name) => name !== 'Sys.Audit'),
    );
    rights.revoke(subject);
    rights.grant({ path: '/', subject, role: 'NoSysAudit', propagate: true });
    cluster.destroyGuest(100);
    const { inventory } = provider(access('reader'));
    expect(await inventory.guestPresence(web)).toBe('unknown');
    expect(await inventory.listGuests()).toMatchObject({
      complete: false,
      incompleteReason: expect.stringContaining('Sys.Audit'),
    });
  });

  it('counts as present when it only moved during the lookup', async () => {
    const { simulator, cluster, provider } = await simulate();
    const hidden = { kind: 'respond' as const, status: 200, body: '{"data":[]}', contentType: 'application/json' };
    // The list is filtered for a moment, and the guest is on its way to another node.
    simulator.onRequest({ path: '/cluster/resources' }, hidden, { times: 1 });
    cluster.migrate(100, 'pve2');
    expect(await provider().inventory.guestPresence(web)).toBe('present');
  });

  it('stays unknown when the node cannot be asked about it', async () => {
    const { simulator, cluster, provider } = await simulate();
    cluster.destroyGuest(100);
    for (const [status, reason] of [
      [595, 'No route to host'],
      [500, 'something else'],
    ] as const) {
      simulator.onRequest({ path: configPath }, { kind: 'respond', status, reason });
      expect(await provider().inventory.guestPresence(web)).toBe('unknown');
      simulator.clearFaults();
    }
  });

  it('makes the call fail when the cluster as a whole cannot be asked', async () => {
    const { cluster, provider, access } = await simulate();
    const { inventory } = provider(access('manager', { entry_points: [] }));
    await cluster.setNode('pve1', 'refusing');
    await expect(inventory.guestPresence(web)).rejects.toMatchObject({ code: 'unreachable' });
  });
});

describe('a number that another guest has taken over', () => {
  const successor = (name: string) => ({
    vmid: 100,
    type: 'qemu' as const,
    node: 'pve1',
    config: `name: ${name}\nnet0: virtio=BC:24:11:77:77:77,bridge=vmbr0\nsmbios1: uuid=77777777-7777-4777-8777-777777777777\nmeta: creation-qemu=9.0.2,ctime=1800000000\n`,
  });

  it('has a different creation fingerprint', async () => {
    const { cluster, provider } = await simulate();
    const { inventory } = provider();
    const before = await inventory.readGuestConfig(web);
    cluster.destroyGuest(100);
    cluster.state.change(() => cluster.state.addGuest(successor('stranger')));
    const after = await inventory.readGuestConfig(web);
    expect(after.creation_fingerprint).not.toBe(before.creation_fingerprint);
    expect(after.creation_fingerprint).toBe('uuid:77777777-7777-4777-8777-777777777777');
  });

  it('keeps its fingerprint over rollbacks, which change the generation id', async () => {
    const { cluster, provider } = await simulate();
    const { inventory } = provider();
    const before = await inventory.readGuestConfig(web);
    cluster.setConfig(100, { vmgenid: '11111111-2222-4333-8444-555555555555' });
    const after = await inventory.readGuestConfig(web);
    expect(after.digest).not.toBe(before.digest);
    expect(after.creation_fingerprint).toBe(before.creation_fingerprint);
  });

  it('shows that the original guest is gone when the new one has another kind', async () => {
    const { cluster, provider } = await simulate();
    cluster.destroyGuest(100);
    cluster.state.change(() =>
      cluster.state.addGuest({ vmid: 100, type: 'lxc', node: 'pve1', config: 'hostname: other\n' }),
    );
    const { inventory } = provider();
    expect(await inventory.guestPresence(web)).toBe('absent');
    expect(await inventory.guestPresence({ ...web, kind: 'lxc' })).toBe('present');
  });
});

describe('a change that waits for the next start', () => {
  it('marks its interface as pending; the live value counts', async () => {
    const { cluster, provider } = await simulate();
    cluster.state.change(() => {
      const guest = cluster.guest(102);
      guest.editConfig(({ current, pending }) => {
        const net1 = current.get('net1') ?? '';
        pending.set('net1', `${net1},firewall=1`);
        pending.set('net2', 'virtio=BC:24:11:00:00:09,bridge=vmbr0');
        pending.set('name', 'renamed');
      });
    });
    const { nics, name } = await provider().inventory.readGuestConfig({ node: 'pve3', kind: 'qemu', vmid: 102 });
    expect(name).toBe('db-01');
    expect(nics.map((nic) => [nic.name, nic.firewall, nic.pending])).toEqual([
      ['net0', true, false],
      ['net1', false, true],
    ]);
  });

  it('marks its interface as pending when the interface is to be removed', async () => {
    const { cluster, provider } = await simulate();
    cluster.state.change(() => cluster.guest(102).editConfig(({ pendingDelete }) => void pendingDelete.set('net0', 1)));
    const { nics } = await provider().inventory.readGuestConfig({ node: 'pve3', kind: 'qemu', vmid: 102 });
    expect(nics.map((nic) => [nic.name, nic.pending])).toEqual([
      ['net0', true],
      ['net1', false],
    ]);
  });
});

describe('a guest under an operation', () => {
  it.each(['create', 'clone', 'backup', 'migrate'])('shows its lock %s, so no caller builds on it', async (lock) => {
    const { cluster, provider, simulator } = await simulate('pve9', 0);
    cluster.lockGuest(100, lock);
    await simulator.clock.advance(12_000);
    const { items } = await provider().inventory.listGuests();
    expect(items.find(({ vmid }) => vmid === 100)).toMatchObject({ lock, name: 'web-01' });
  });

  it('keeps its interfaces while snapshots and locks change its digest', async () => {
    const { cluster, provider } = await simulate();
    const { inventory } = provider();
    const before = await inventory.readGuestConfig(web);
    cluster.lockGuest(100, 'snapshot');
    const after = await inventory.readGuestConfig(web);
    expect(after.digest).not.toBe(before.digest);
    expect(after.nics).toEqual(before.nics);
  });
});

describe('a whole inventory', () => {
  it('never calls what hangs with a storage or a monitor socket', async () => {
    const { simulator, provider } = await simulate();
    const { inventory, preflight } = provider();
    await preflight.check();
    await inventory.readCluster();
    const [guests, nodes] = [await inventory.listGuests(), await inventory.listNodes()];
    for (const guest of guests.items) {
      await inventory.readGuestConfig(guest);
      await inventory.guestPresence(guest);
    }
    for (const node of nodes.items) await inventory.listNodeNetworks(node.name);
    await inventory.listSdn();
    const patterns = Object.keys(simulator.log.counts());
    expect(patterns).toContain('GET /nodes/{node}/qemu/{vmid}/config');
    expect(patterns.filter((pattern) => /status\/current|\/(qemu|lxc)$|agent/.test(pattern))).toEqual([]);
    expect(simulator.log.entries().filter(({ status }) => status >= 400)).toEqual([]);
    expect(simulator.log.entries().filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});
