import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeAsRoot } from '../../../agent/test/requirements';
import { guestCompileFailures } from './compile-failure';
import type { LiveCluster, LiveGuest, LiveNic } from './live-state';

const NAMESPACE = `compile-${process.pid}`;
const CLUSTER: LiveCluster = { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {} };
const NICS: LiveNic[] = [{ name: 'net0', firewall: true, mac: null }];
const inside = (args: string[], input: string) =>
  spawnSync('ip', ['netns', 'exec', NAMESPACE, ...args], { input, encoding: 'utf8' });

const PROTOCOLS = ['tcp', 'udp', 'udplite', 'sctp', 'dccp', '6', '17', '136', '132', '33'];
const NAMES = ['syslog', 'ssh', 'tftp', 'domain', 'ntp', '53', '5:9'];
const FULL = Array.from({ length: 14 }, (_, i) => 1000 + i).join();
const LISTS = ['ssh,99', 'tftp,99', 'domain,ntp', '53,99', `${FULL},99`, `${FULL},5:9`];
const ADDRESSES = [
  '10.0.0.09',
  '10.08.0.1',
  '10.0.0.01',
  '10.0.0.0/255.0.0.0',
  '10.0.0.0/08',
  '10.0.0.80',
  '10/8',
  '10.1',
];
const RANGES = ['10.0.0.08-10.0.0.9', '10.0.0.1-10.0.0.09', '10.0.0.8-10.0.0.9'];

describeAsRoot(
  'ip',
  'iptables-restore',
  'ip6tables-restore',
  'ipset',
)('the compile of a node', () => {
  beforeAll(() => {
    spawnSync('ip', ['netns', 'add', NAMESPACE]);
  });
  afterAll(() => {
    spawnSync('ip', ['netns', 'del', NAMESPACE]);
  });

  it('refuses the same ports as iptables-restore does', () => {
    const differing: string[] = [];
    for (const proto of PROTOCOLS) {
      for (const ports of [...NAMES, ...LISTS]) {
        const match = ports.includes(',') ? `--match multiport --dports ${ports}` : `--dport ${ports}`;
        const text = `*filter\n:T - [0:0]\n-A T -p ${proto} ${match} -j ACCEPT\nCOMMIT\n`;
        const refused = inside(['iptables-restore', '-n', '--test'], text).status !== 0;
        const guest: LiveGuest & { nics: LiveNic[] } = {
          options: { enable: 1 },
          rules: [{ pos: 0, type: 'in', action: 'ACCEPT', enable: 1, proto, dport: ports }],
          ipsets: {},
          aliases: {},
          nics: NICS,
        };
        const found = guestCompileFailures(CLUSTER, 100, guest).length > 0;
        if (found !== refused)
          differing.push(`${proto} ${ports}: iptables-restore ${refused ? 'refuses' : 'takes'} it`);
      }
    }
    expect(differing).toEqual([]);
  });

  it('refuses the same addresses as iptables-restore does', () => {
    const differing: string[] = [];
    for (const source of [...ADDRESSES, ...RANGES]) {
      const match = source.includes('-') ? `-m iprange --src-range ${source}` : `-s ${source}`;
      const text = `*filter\n:T - [0:0]\n-A T ${match} -j ACCEPT\nCOMMIT\n`;
      const refused = inside(['iptables-restore', '-n', '--test'], text).status !== 0;
      const rules = [{ pos: 0, type: 'in', action: 'ACCEPT', enable: 1, source }];
      const found = guestCompileFailures(CLUSTER, 100, {
        options: { enable: 1 },
        rules,
        ipsets: {},
        aliases: {},
        nics: NICS,
      });
      const isFound = found.some(({ reason }) => reason === 'address_refused');
      if (isFound !== refused) differing.push(`${source}: iptables-restore ${refused ? 'refuses' : 'takes'} it`);
    }
    expect(differing).toEqual([]);
  });

  it('refuses the same sets as ipset does', () => {
    const values = [
      '0.0.0.0/0',
      '0.0.0.0/1',
      '10.1.2.3/16',
      '10.1.0.0/16',
      '10.1.0.0/17',
      '10.3.0.1',
      '::/0',
      'fe80::1/10',
      'fe80::/10',
    ];
    const differing: string[] = [];
    for (const first of values) {
      for (const second of values) {
        const family = first.includes(':') ? 'inet6' : 'inet';
        if (first === second || (family === 'inet6') !== second.includes(':')) continue;
        const create = `create s hash:net family ${family} hashsize 64 maxelem 64 bucketsize 12`;
        const refused = inside(['ipset', 'restore'], `${create}\nadd s ${first}\nadd s ${second}\n`).status !== 0;
        inside(['ipset', 'destroy'], '');
        const guest = {
          options: {},
          rules: [],
          nics: NICS,
          aliases: { a1: first, a2: second },
          ipsets: { s: [{ cidr: 'a1' }, { cidr: 'a2' }] },
        };
        const found = guestCompileFailures(CLUSTER, 100, guest).length > 0;
        if (found !== refused) differing.push(`${first}, ${second}: ipset ${refused ? 'refuses' : 'takes'} it`);
      }
    }
    expect(differing).toEqual([]);
  });
});

describeAsRoot('ip', 'nft')('nft', () => {
  const name = `${NAMESPACE}-nft`;
  // nft opens its standard input by name, which a socket does not allow: it gets a pipe.
  const nft = (args: string, commands: unknown[] = []) =>
    spawnSync('ip', ['netns', 'exec', name, 'sh', '-c', `cat | nft -j ${args}`], {
      input: JSON.stringify({ nftables: commands }),
      encoding: 'utf8',
    });
  const at = { family: 'bridge', table: 't' };
  const table = { add: { table: { family: 'bridge', name: 't' } } };
  const chain = { add: { chain: { ...at, name: 'guest' } } };
  const rule = (...expr: unknown[]) => ({ add: { rule: { ...at, chain: 'guest', expr } } });
  const match = (left: unknown, right: unknown) => ({ match: { op: '==', left, right } });
  const takes = (...commands: unknown[]) => nft('-c -f -', [table, chain, ...commands]).status === 0;
  const prefix = (text: string) => {
    const [addr, len] = text.split('/');
    return { prefix: { addr, len: Number(len ?? 32) } };
  };

  beforeAll(() => {
    spawnSync('ip', ['netns', 'add', name]);
  });
  afterAll(() => {
    spawnSync('ip', ['netns', 'del', name]);
  });

  it('keeps the old rules of all guests when one rule jumps to the chain of a group that is gone', () => {
    expect(nft('-f -', [table, chain, rule({ drop: null })]).stderr).toBe('');
    const group = { jump: { target: 'group-gone-in' } };
    const failed = nft('-f -', [{ flush: { chain: { ...at, name: 'guest' } } }, rule({ accept: null }), rule(group)]);
    expect(failed.status).not.toBe(0);
    expect(nft('list chain bridge t guest').stdout).toContain('"drop"');
  });

  it('takes what stops the other implementation', () => {
    const l4 = (protocol: string) => match({ meta: { key: 'l4proto' } }, protocol);
    const port = (value: unknown) => match({ payload: { protocol: 'th', field: 'dport' } }, value);
    for (const protocol of ['tcp', 'udp', 'udplite', 'sctp', 'dccp']) {
      expect(takes(rule(l4(protocol), port(69), { accept: null }))).toBe(true);
      expect(takes(rule(l4(protocol), port({ set: [69, { range: [60, 70] }] }), { accept: null }))).toBe(true);
    }
    const set = { add: { set: { ...at, name: 's', type: 'ipv4_addr', flags: ['interval'], 'auto-merge': true } } };
    for (const values of [['0.0.0.0/0'], ['10.1.2.3/16', '10.1.0.0/16']]) {
      expect(takes(set, { add: { element: { ...at, name: 's', elem: values.map(prefix) } } })).toBe(true);
    }
  });

  it('takes each ICMP type that proxmox-firewall writes by name', () => {
    const type = (protocol: string, value: unknown) =>
      rule(match({ payload: { protocol, field: 'type' } }, value), { accept: null });
    for (const value of ['echo-request', 'redirect', 'source-quench', 'address-mask-reply', { range: [0, 255] }]) {
      expect(takes(type('icmp', value))).toBe(true);
    }
    for (const value of [
      'nd-redirect',
      'packet-too-big',
      'nd-router-solicit',
      'parameter-problem',
      { range: [0, 255] },
    ]) {
      expect(takes(type('icmpv6', value))).toBe(true);
    }
    expect(takes(type('icmpv6', 'reject-route'))).toBe(false);
  });
});
