import { describe, expect, it } from 'vitest';
import { simulate } from '../testing/simulated.fixture';

const config = (node: string, vmid: number) => ({ node, kind: 'qemu' as const, vmid });

describe('a provider that is closed in the middle of its calls', () => {
  it('holds nothing against the cluster for others that ask it at the same time', async () => {
    const { simulator, provider, access } = await simulate('pve9', 1);
    const shared = access();
    const [first, second] = [provider(shared), provider(shared)];
    const { items } = await first.inventory.listGuests();
    const slow = simulator.onRequest({ path: /\/config$/ }, { kind: 'delay', ms: 3_000 });
    const reads = Promise.allSettled(items.slice(0, 8).map((guest) => first.inventory.readGuestConfig(guest)));
    while (slow.hits < 4) await new Promise((resolve) => setTimeout(resolve, 5));
    first.close();
    slow.remove();
    const rejected = (await reads).filter((read) => read.status === 'rejected');
    expect(rejected.length).toBeGreaterThanOrEqual(3);
    expect((await second.inventory.listGuests()).items).toHaveLength(15);
  });
});

describe('a node that is off', () => {
  it('costs a few attempts, while the inventory of the other nodes continues', async () => {
    const { simulator, cluster, provider, access } = await simulate();
    const standing = { now: () => new Date(0) };
    const { inventory } = provider(access(), { clock: standing });
    await cluster.setNode('pve3', 'down');
    for (let i = 0; i < 5; i++) {
      // db-01 stays listed on its dead node, so there is nowhere else to look.
      await expect(inventory.readGuestConfig(config('pve3', 102))).rejects.toMatchObject({
        code: i < 2 ? 'node_unreachable' : 'circuit_open',
        detail: { object: 'pve3' },
      });
      await expect(inventory.readGuestConfig(config('pve2', 101))).resolves.toMatchObject({ name: 'web-02' });
    }
    // Two calls per read: the breaker opens with the third failure.
    expect(simulator.log.entries({ path: /^\/nodes\/pve3\// }).length).toBeLessThanOrEqual(4);
    const { items } = await inventory.listGuests();
    expect(items).toHaveLength(15);
  });

  it('appears as offline, with null for unreported fields', async () => {
    const { cluster, provider } = await simulate();
    await cluster.setNode('pve3', 'down');
    const { items, complete } = await provider().inventory.listNodes();
    expect(complete).toBe(true);
    expect(items[2]).toMatchObject({ name: 'pve3', status: 'offline', provider_version: null, nftables: null });
    expect(items[2]?.address).not.toBeNull();
  });

  it('leaves its guests in the list, first with their last state and then as unknown', async () => {
    const { simulator, cluster, provider } = await simulate('pve9', 0);
    const { inventory } = provider();
    await cluster.setNode('pve3', 'down');
    await simulator.clock.advance(3_000);
    const soon = (await inventory.listGuests()).items.find(({ vmid }) => vmid === 102);
    expect(soon).toMatchObject({ name: 'db-01', runtime_known: true });
    await simulator.clock.advance(310_000);
    const listing = await inventory.listGuests();
    expect(listing.items).toHaveLength(15);
    expect(listing.items.find(({ vmid }) => vmid === 102)).toMatchObject({
      node: 'pve3',
      status: 'unknown',
      name: null,
      runtime_known: false,
    });
  });

  it('times out within the client timeout, not that of the cluster, when it drops packets', async () => {
    const { cluster, provider, access } = await simulate('pve9', 1);
    const to = access('manager', { entry_points: [] });
    const test = provider(to, { timeouts: { read: 1_000 } });
    await cluster.setNode('pve3', 'silent');
    const started = performance.now();
    await expect(test.inventory.readGuestConfig(config('pve3', 102))).rejects.toMatchObject({ code: 'timeout' });
    expect(performance.now() - started).toBeLessThan(10_000);
    await expect(test.inventory.listGuests()).resolves.toMatchObject({ complete: true });
  });
});

describe('the entry node', () => {
  it.each(['down', 'refusing'] as const)('falls back to the next one when %s', async (state) => {
    const { cluster, provider } = await simulate();
    await cluster.setNode('pve1', state);
    const { inventory } = provider();
    await expect(inventory.readCluster()).resolves.toMatchObject({ name: 'lab', quorate: true });
    await expect(inventory.listGuests()).resolves.toMatchObject({ complete: true });
  });

  it('falls back to the next one when its packets are lost', async () => {
    const { cluster, provider, access } = await simulate('pve9', 1);
    await cluster.setNode('pve1', 'silent');
    const { inventory } = provider(access(), { timeouts: { read: 1_000 } });
    await expect(inventory.listSdn()).resolves.toMatchObject({ networks: { complete: true } });
  });

  it('dying with connections open costs a repetition, not the inventory', async () => {
    const { cluster, provider } = await simulate();
    const { inventory } = provider();
    await inventory.listGuests();
    await cluster.setNode('pve1', 'refusing');
    await expect(inventory.listNodeNetworks('pve2')).resolves.toMatchObject({ complete: true });
  });

  it('fails as unreachable when no other one exists', async () => {
    const { cluster, provider, access } = await simulate();
    await cluster.setNode('pve1', 'refusing');
    const { inventory } = provider(access('manager', { entry_points: [] }));
    await expect(inventory.listGuests()).rejects.toMatchObject({
      code: 'unreachable',
      remedy: expect.stringContaining('8006'),
    });
  });
});

describe('a cluster without quorum', () => {
  it('can be read, and nothing counts as complete', async () => {
    const { cluster, provider } = await simulate();
    cluster.setQuorum(false);
    const { inventory } = provider();
    expect(await inventory.readCluster()).toMatchObject({ quorate: false });
    expect(await inventory.listGuests()).toMatchObject({
      complete: false,
      incompleteReason: expect.stringContaining('quorum'),
    });
    await expect(inventory.readGuestConfig(config('pve1', 100))).resolves.toMatchObject({ name: 'web-01' });
  });
});

describe('daemons that restart during an upgrade', () => {
  it.each([
    { kind: 'reset', when: 'before' },
    { kind: 'reset', when: 'after' },
    { kind: 'truncate' },
    { kind: 'respond', status: 596, reason: 'Connection timed out' },
    { kind: 'respond', status: 596, reason: '' },
    { kind: 'respond', status: 500, reason: 'ipcc_send_rec[1] failed: Connection refused' },
  ] as const)('make a read be repeated once: $kind $when $status $reason', async (fault) => {
    const { simulator, provider } = await simulate();
    const struck = simulator.onRequest({ path: '/cluster/resources' }, fault, { times: 1 });
    await expect(provider().inventory.listGuests()).resolves.toMatchObject({ complete: true });
    expect(struck.hits).toBe(1);
  });

  it('cause the next node to be asked when the first keeps failing', async () => {
    const { simulator, provider } = await simulate();
    const struck = simulator.onRequest({ node: 'pve1', path: '/cluster/resources' }, { kind: 'reset', when: 'before' });
    const { items } = await provider().inventory.listGuests();
    expect(items).toHaveLength(15);
    expect(struck.hits).toBe(2);
  });

  it('have their own error when all of them keep failing', async () => {
    const { simulator, provider } = await simulate();
    simulator.onRequest(
      { path: '/cluster/resources' },
      { kind: 'respond', status: 500, reason: 'ipcc_send_rec[1] failed: Connection refused' },
    );
    await expect(provider().inventory.listGuests()).rejects.toMatchObject({
      code: 'server_error',
      remedy: expect.stringContaining('upgraded'),
    });
  });
});

describe('a certificate', () => {
  it('can be verified after renewal through the known CA of the cluster', async () => {
    const { cluster, provider, access } = await simulate();
    const test = provider(access('manager', { tls_ca: cluster.nodes[0]?.caPem ?? null, entry_points: [] }));
    await test.inventory.listNodes();
    const previous = cluster.node('pve1').fingerprint256;
    const current = cluster.renewCertificate('pve1');
    const reopened = provider(
      access('manager', { tls_fingerprint: previous, tls_ca: cluster.nodes[0]?.caPem ?? null, entry_points: [] }),
    );
    await expect(reopened.inventory.listGuests()).resolves.toMatchObject({ complete: true });
    expect(reopened.renewed).toMatchObject([{ previous, current, basis: 'cluster_ca' }]);
  });

  it('can be verified after renewal through another node that is still trusted', async () => {
    const { cluster, provider, access } = await simulate();
    const to = access();
    const current = cluster.renewCertificate('pve1');
    const test = provider(to);
    await expect(test.inventory.listGuests()).resolves.toMatchObject({ complete: true });
    expect(test.renewed).toMatchObject([{ previous: to.tls_fingerprint, current, basis: 'other_node' }]);
  });

  it('cannot be verified after renewal on all nodes at the same time without the CA', async () => {
    const { cluster, provider, access, simulator } = await simulate();
    const to = access();
    for (const { name } of cluster.nodes) cluster.renewCertificate(name);
    simulator.log.reset();
    await expect(provider(to).inventory.listGuests()).rejects.toMatchObject({
      code: 'tls_changed',
      detail: { fingerprint: cluster.node('pve1').fingerprint256, expectedFingerprint: to.tls_fingerprint },
    });
    expect(simulator.log.total).toBe(0);
  });
});

describe('a reverse proxy in front', () => {
  it('has recognizable error pages', async () => {
    const { simulator, provider } = await simulate();
    simulator.onRequest({}, { kind: 'html-502' });
    await expect(provider().inventory.listGuests()).rejects.toMatchObject({
      code: 'bad_answer',
      remedy: expect.stringContaining('without a proxy'),
    });
  });

  it('has a recognizable login page', async () => {
    const { simulator, provider } = await simulate();
    simulator.onRequest(
      {},
      { kind: 'respond', status: 200, body: '<!DOCTYPE html><html></html>', contentType: 'text/html' },
    );
    const { checks } = await provider().preflight.check();
    expect(checks.find(({ name }) => name === 'sign_in')).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('web page'),
    });
  });
});

describe('a token', () => {
  it('gets one more attempt after it is revoked, and no other', async () => {
    const { simulator, cluster, provider } = await simulate();
    const { inventory } = provider();
    await inventory.listGuests();
    cluster.revokeToken(cluster.tokens.manager);
    simulator.log.reset();
    for (let i = 0; i < 5; i++) {
      await expect(inventory.readGuestConfig(config('pve1', 100))).rejects.toMatchObject({ code: 'unauthorized' });
    }
    // One read makes two calls at the same time.
    expect(simulator.log.total).toBeLessThanOrEqual(2);
  });

  it.each(['pve8Old', 'pve9'] as const)('has an error of its own when it is wrong, on %s', async (version) => {
    const { provider, access, simulator } = await simulate(version);
    const { inventory } = provider(
      access('manager', { api_token: 'fabric@pve!fabric=00000000-0000-0000-0000-000000000000' }),
    );
    await expect(inventory.readCluster()).rejects.toMatchObject({ code: 'unauthorized', detail: { status: 401 } });
    expect(new Set(simulator.log.entries().map(({ node }) => node))).toEqual(new Set(['pve1']));
  });

  it('sees an empty cluster without permissions, and the list is incomplete', async () => {
    const { provider, access } = await simulate();
    const { inventory } = provider(access('empty'));
    expect(await inventory.listGuests()).toMatchObject({
      items: [],
      complete: false,
      incompleteReason: expect.stringContaining('VM.Audit'),
    });
    await expect(inventory.readGuestConfig(config('pve1', 100))).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('VM.Audit on /vms/100'),
    });
  });

  it('sees only its pool with permissions for one pool, and the list is incomplete', async () => {
    const { cluster, provider, access } = await simulate();
    const id = cluster.tokens.empty.split('=')[0] ?? '';
    cluster.state.access.grant({ path: '/pool/staging', subject: id, role: 'PVEAuditor', propagate: true });
    const { items, complete } = await provider(access('empty')).inventory.listGuests();
    expect(items.map(({ vmid }) => vmid)).toEqual([120, 203]);
    expect(complete).toBe(false);
  });
});

describe('concurrent requests of many jobs', () => {
  it('never exceed what a node can take', async () => {
    const { cluster, provider, access } = await simulate('pve9', 20, 500);
    const to = access();
    const providers = [provider(to), provider(to), provider(to)];
    cluster.load.reset();
    await Promise.all(
      providers.flatMap(({ inventory }) => [
        inventory.listNodes(),
        inventory.listSdn(),
        inventory.readCluster(),
        ...[100, 103, 200].map((vmid) =>
          inventory.readGuestConfig({ node: 'pve1', kind: vmid < 200 ? 'qemu' : 'lxc', vmid }),
        ),
      ]),
    );
    expect(cluster.load.get('entry:pve1').max).toBe(4);
  });
});
