import { describe, expect, it } from 'vitest';
import { simulate } from '../testing/simulated.fixture';

const DB = 102;

describe('the firewall of a guest', () => {
  it('contains rules in order, options as stored, sets, aliases and the digest of each', async () => {
    const { cluster, provider } = await simulate();
    const { firewallReader } = provider();
    const fact = await firewallReader.readGuestFirewall({ node: 'pve2', kind: 'qemu', vmid: DB });
    expect(fact.unreadable).toEqual([]);
    expect(fact.rules?.items).toEqual([
      {
        pos: 0,
        type: 'in',
        action: 'ACCEPT',
        enable: 1,
        source: '+guest/app-servers',
        proto: 'tcp',
        dport: '5432',
        log: 'nolog',
        comment: 'application',
      },
      expect.objectContaining({ pos: 1, source: 'guest/replica' }),
      expect.objectContaining({ pos: 2, type: 'group', action: 'ssh-admin', enable: 1 }),
    ]);
    expect(fact.options?.value).toEqual({ enable: 1 });
    expect(fact.ipsets).toEqual({
      'app-servers': { entries: [{ cidr: '10.60.10.0/24' }], digest: expect.stringMatching(/^[0-9a-f]{40}$/) },
    });
    expect(fact.aliases).toEqual({ replica: '10.20.21.12' });
    const before = fact.rules?.digest;
    cluster.firewall.insertRule(DB, 'IN DROP -p tcp -dport 23');
    const after = await firewallReader.readGuestFirewall({ node: 'pve2', kind: 'qemu', vmid: DB });
    expect(after.rules?.items).toHaveLength(4);
    expect(after.rules?.digest).not.toBe(before);
    expect(after.options).toEqual(fact.options);
  });

  it('reads as empty, not unknown, without a file', async () => {
    const { cluster, provider } = await simulate();
    cluster.firewall.setFile(`firewall/${DB}.fw`, undefined);
    const fact = await provider().firewallReader.readGuestFirewall({ node: 'pve2', kind: 'qemu', vmid: DB });
    expect(fact).toMatchObject({ rules: { items: [] }, options: { value: {} }, ipsets: {}, aliases: {} });
    expect(fact.unreadable).toEqual([]);
  });

  it('names what could not be read and keeps the rest', async () => {
    const { simulator, provider } = await simulate();
    simulator.onRequest(
      { path: new RegExp(`/${DB}/firewall/options$`) },
      { kind: 'respond', status: 500, reason: 'out of order' },
    );
    const fact = await provider().firewallReader.readGuestFirewall({ node: 'pve2', kind: 'qemu', vmid: DB });
    expect(fact).toMatchObject({ options: null, rules: { items: { length: 3 } } });
    expect(fact.unreadable).toEqual([expect.objectContaining({ part: 'options', code: 'server_error' })]);
  });

  it('has null in every part for a token that may not read the guest', async () => {
    const { access, provider } = await simulate();
    const fact = await provider(access('empty')).firewallReader.readGuestFirewall({
      node: 'pve2',
      kind: 'qemu',
      vmid: DB,
    });
    expect(fact).toMatchObject({ rules: null, options: null, ipsets: null, aliases: null });
    expect(fact.unreadable.map(({ code }) => code)).toEqual(['forbidden', 'forbidden', 'forbidden', 'forbidden']);
  });

  it('tells rules although the node of the guest is down, but not its options', async () => {
    const { cluster, provider } = await simulate();
    await cluster.setNode('pve2', 'down');
    const fact = await provider().firewallReader.readGuestFirewall({ node: 'pve2', kind: 'qemu', vmid: DB });
    expect(fact).toMatchObject({ options: null, rules: { items: { length: 3 } } });
  });
});

describe('the firewall of the cluster', () => {
  it('has its switch, groups with their rules, sets and aliases', async () => {
    const { provider } = await simulate();
    const fact = await provider().firewallReader.readClusterFirewall();
    expect(fact).toMatchObject({
      firewall_enabled: true,
      aliases: { office: '203.0.113.0/24', 'backup-host': '10.20.0.40' },
      ipsets: { management: [{ cidr: '10.20.0.0/24' }, { cidr: '203.0.113.16/28' }] },
      unreadable: [],
    });
    expect(fact.groups?.web).toMatchObject([{ proto: 'tcp', dport: '80,443' }, { macro: 'Ping' }]);
  });

  it('has null where the token may not read', async () => {
    const { access, provider } = await simulate();
    const fact = await provider(access('empty')).firewallReader.readClusterFirewall();
    expect(fact).toMatchObject({ firewall_enabled: null, ipsets: null, aliases: null });
  });
});
