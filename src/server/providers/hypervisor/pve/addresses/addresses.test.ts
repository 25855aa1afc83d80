import type { AgentBehaviour } from '@fabric/simulator/state/guest';
import { describe, expect, it } from 'vitest';
import { type Simulated, simulate } from '../testing/simulated.fixture';
import { addressFact } from './parse-interfaces';
import { isAgentEnabled } from './read-guest-settings';

const vm = (vmid: number, node = 'pve1') => ({ node, kind: 'qemu' as const, vmid });
const ct = (vmid: number, node = 'pve1') => ({ node, kind: 'lxc' as const, vmid });
const readInterfaces = async ({ provider }: Simulated, vmid: number) =>
  provider()
    .addresses.readGuestInterfaces(vm(vmid))
    .catch((error: unknown) => error);

describe('the agent option', () => {
  it.each(['1', 'on', 'enabled=1', 'enabled=1,fstrim_cloned_disks=1', '1,type=virtio', 1, 'type=virtio,enabled=yes'])(
    'enables by %j',
    (option) => expect(isAgentEnabled(option)).toBe(true),
  );
  it.each(['0', 'off', 'enabled=0,type=virtio', '', undefined, null, 0, 'type=virtio'])('does not by %j', (option) =>
    expect(isAgentEnabled(option)).toBe(false),
  );
});

describe('an address as a guest says it', () => {
  it.each([
    ['10.0.0.9', 24, { address: '10.0.0.9', prefix: 24 }],
    ['10.0.0.9', 99, { address: '10.0.0.9', prefix: null }],
    ['2001:DB8::1', '64', { address: '2001:db8::1', prefix: 64 }],
    ['fe80::1%eth0', 64, { address: 'fe80::1', prefix: 64 }],
    ['999.1.1.1', 24, null],
    ["10.0.0.1'; DROP TABLE ip_addresses; --", 24, null],
    [undefined, 24, null],
  ])('%j /%j', (text, prefix, fact) => expect(addressFact(text, prefix)).toEqual(fact));
});

describe('virtual machines', () => {
  it('tell their interfaces with the addresses, both families, without zones', async () => {
    const { provider } = await simulate();
    const web = await provider().addresses.readGuestInterfaces(vm(100));
    expect(web?.items.map(({ name }) => name)).toEqual(['lo', 'eth0']);
    expect(web?.items[1]).toMatchObject({
      mac: expect.stringMatching(/^BC:24:11:/),
      addresses: [
        { address: '10.20.20.11', prefix: 24 },
        { address: '2001:db8:20::11', prefix: 64 },
        { address: expect.stringMatching(/^fe80::/), prefix: 64 },
      ],
    });
    const windows = await provider().addresses.readGuestInterfaces(vm(110, 'pve2'));
    expect(JSON.stringify(windows)).not.toContain('%');
  });

  it('report whether an agent is configured, and how addresses are assigned', async () => {
    const { provider, cluster } = await simulate();
    const { addresses } = provider();
    expect(await addresses.readGuestSettings(vm(100))).toMatchObject({
      agent_enabled: true,
      nics: [{ name: 'net0', ip_config: { ip: '10.20.20.11/24', gw: '10.20.20.1' } }],
    });
    cluster.setConfig(100, { agent: '0' });
    expect(await addresses.readGuestSettings(vm(100))).toMatchObject({ agent_enabled: false });
  });

  it.each<[string, AgentBehaviour | 'no agent' | 'stopped' | 'switched off', object]>([
    ['no agent configured', 'no agent', { code: 'agent_unavailable' }],
    ['stopped', 'stopped', { code: 'not_running' }],
    ['agent: 0', 'switched off', { code: 'agent_unavailable' }],
    ['silent', { kind: 'not-running' }, { code: 'agent_unavailable' }],
    ['booting', { kind: 'ok', interfaces: [], readyAfter: 4e9 }, { code: 'agent_unavailable' }],
    ['timing out', { kind: 'timeout' }, { code: 'agent_unavailable' }],
    ['hung', { kind: 'hung' }, { code: 'agent_unavailable' }],
    ['closing its socket', { kind: 'disconnect' }, { code: 'agent_unavailable' }],
    [
      'refusing inside a success',
      { kind: 'error', class: 'CommandNotFound', desc: 'The command has been disabled' },
      { code: 'agent_unavailable', message: expect.stringContaining('disabled') },
    ],
    ['inventing text', { kind: 'raw', result: 'OK' }, { code: 'bad_answer' }],
    ['inventing null', { kind: 'raw', result: null }, { code: 'bad_answer' }],
    ['inventing an object', { kind: 'raw', result: { interfaces: 'none' } }, { code: 'bad_answer' }],
    ['nesting', { kind: 'raw', result: [[[[{ name: ['eth0'] }]]]] }, { items: [], ignored: 1 }],
    [
      'leaving out what is optional',
      { kind: 'ok', interfaces: [{ name: 'eth0' }, { name: 'sit0' }] },
      {
        items: [
          { name: 'eth0', mac: null, addresses: null },
          { name: 'sit0', mac: null, addresses: null },
        ],
      },
    ],
  ])('%s', async (_, behavior, outcome) => {
    for (const version of ['pve9', 'pve8'] as const) {
      const fixture = await simulate(version);
      if (behavior === 'no agent') fixture.cluster.setConfig(100, { agent: undefined });
      else if (behavior === 'switched off') fixture.cluster.setConfig(100, { agent: '0' });
      else if (behavior === 'stopped') fixture.cluster.setRunState(100, 'stopped');
      else fixture.cluster.setAgent(100, behavior);
      const answer = await readInterfaces(fixture, 100);
      expect(answer).toMatchObject(outcome);
      if (answer instanceof Error) expect(answer).toMatchObject({ remedy: expect.stringMatching(/./) });
    }
  });

  it('cannot make an answer too long, or put something else into it', async () => {
    const fixture = await simulate();
    fixture.cluster.setAgent(100, {
      kind: 'ok',
      interfaces: [
        {
          name: 'eth0\nIN ACCEPT',
          'hardware-address': 'not a mac',
          'ip-addresses': [{ 'ip-address': '999.1.1.1', prefix: 24 }, { 'ip-address': '10.0.0.9', prefix: 99 }, {}],
        },
        ...Array.from({ length: 3000 }, (_, i) => ({ name: `cali${i}` })),
      ],
    });
    const answer = await fixture.provider().addresses.readGuestInterfaces(vm(100));
    expect(answer?.items).toHaveLength(1024);
    expect(answer?.items[0]).toEqual({
      name: expect.not.stringMatching(/\n/),
      mac: null,
      addresses: [{ address: '10.0.0.9', prefix: null }],
    });
    expect(answer?.ignored).toBe(2 + 3001 - 1024);
  });

  it('say which privilege is missing', async () => {
    const { provider, access } = await simulate('pve8');
    await expect(provider(access('reader')).addresses.readGuestInterfaces(vm(100))).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('VM.Monitor'),
    });
  });

  it('get one request at a time per node, at their own node; dead agents do not delay others', async () => {
    const fixture = await simulate();
    for (const vmid of [100, 101, 103, 104]) fixture.cluster.setAgent(vmid, { kind: 'not-running' });
    const { addresses } = fixture.provider();
    const refs = [vm(100), vm(103), vm(100), vm(101, 'pve2'), vm(104, 'pve2'), vm(102, 'pve3')];
    await Promise.allSettled([
      ...refs.map((guest) => addresses.readGuestInterfaces(guest)),
      ...refs.map((guest) => addresses.readGuestSettings(guest)),
    ]);
    expect(fixture.cluster.load.maxOf('agent:')).toBe(1);
    expect(fixture.cluster.load.maxOf('pvedaemon:')).toBeLessThanOrEqual(2);
    // Every node took the calls that are about it.
    for (const node of ['pve2', 'pve3']) expect(fixture.cluster.load.get(`entry:${node}`).total).toBeGreaterThan(0);
  });
});

describe('containers', () => {
  it('tell their interfaces, also on nodes that leave the list of addresses empty', async () => {
    const { provider, cluster } = await simulate();
    const { addresses } = provider();
    const full = await addresses.readGuestInterfaces(ct(200));
    const eth0 = full?.items.find(({ name }) => name === 'eth0');
    expect(eth0).toMatchObject({ mac: expect.stringMatching(/^BC:24:11:/) });
    expect(eth0?.addresses?.[0]).toEqual({ address: '10.20.22.53', prefix: 24 });
    cluster.guest(200).emptyIpAddresses = true;
    const old = await addresses.readGuestInterfaces(ct(200));
    expect(old?.items.find(({ name }) => name === 'eth0')?.addresses).toContainEqual({
      address: '10.20.22.53',
      prefix: 24,
    });
    expect(await addresses.readGuestSettings(ct(200))).toMatchObject({
      os_managed: true,
      nics: [{ ip_config: { ip: '10.20.22.53/24' } }],
    });
    cluster.setConfig(200, { ostype: 'unmanaged' });
    expect(await addresses.readGuestSettings(ct(200))).toMatchObject({ os_managed: false });
  });

  it('answer null when they do not run', async () => {
    const { provider } = await simulate();
    expect(await provider().addresses.readGuestInterfaces(ct(203))).toBeNull();
  });
});

describe('the SDN', () => {
  it('lists its leases, without gateways', async () => {
    const { provider, cluster } = await simulate();
    const { items, complete } = await provider().addresses.listLeases();
    expect(complete).toBe(true);
    expect(items.length).toBe(cluster.state.leases.filter((lease) => lease.mac).length);
    expect(items[0]).toMatchObject({ network: 'apps', address: expect.stringMatching(/^10\.60\.10\./) });
  });

  it('counts as incomplete for a token that may not see everything', async () => {
    const { provider, access } = await simulate();
    expect(await provider(access('empty')).addresses.listLeases()).toMatchObject({
      items: [],
      complete: false,
      incompleteReason: expect.stringContaining('SDN.Audit'),
    });
  });
});
