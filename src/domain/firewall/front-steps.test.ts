import { describe, expect, it } from 'vitest';
import { parseIp } from '../net/ip-address';
import { evaluate } from './evaluate';
import { type FRONT_STEPS, frontSteps } from './front-steps';
import type { LiveCluster, LiveNode, LiveNodeOptions } from './live-state';
import type { Packet } from './packet';
import { prepareGuest } from './prepare-guest';

const ip = (text: string) => parseIp(text) ?? expect.unreachable();
const base = { direction: 'in', destination: ip('10.0.0.2') } as const;
/** A packet that only this step matches, before a guest without rules. */
const PACKETS: Record<(typeof FRONT_STEPS)[number], Packet> = {
  vital_icmp: { ...base, source: ip('10.0.0.9'), protocol: 1, icmp_type: 4 },
  invalid: { ...base, source: ip('10.0.0.9'), protocol: 17, source_port: 9, destination_port: 9, state: 'invalid' },
  blacklist: { ...base, source: ip('198.51.100.1'), protocol: 6, source_port: 9, destination_port: 9 },
  smurf: { ...base, source: ip('224.0.0.5'), protocol: 17, source_port: 9, destination_port: 9 },
  tcp_flags: { ...base, source: ip('10.0.0.9'), protocol: 6, source_port: 0, destination_port: 9 },
};

function* product<T extends Record<string, readonly unknown[]>>(axes: T): Generator<{ [K in keyof T]: T[K][number] }> {
  const [first, ...rest] = Object.keys(axes);
  if (first === undefined) {
    yield {} as never;
    return;
  }
  const others = Object.fromEntries(rest.map((key) => [key, axes[key] ?? []]));
  for (const value of axes[first] ?? []) for (const more of product(others)) yield { [first]: value, ...more } as never;
}

const stored = (options: Record<string, number | undefined>): LiveNodeOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

function* nodes(): Generator<LiveNode | null> {
  yield null;
  const unread = { options: null, networks: ['10.0.0.1/24'], rules: null };
  yield unread;
  yield { ...unread, implementation: 'iptables' };
  yield { ...unread, implementation: 'nftables' };
  const flag = [undefined, 0, 1];
  const axes = { enable: flag, nftables: [0, 1], nosmurfs: flag, nf_conntrack_allow_invalid: flag, tcpflags: flag };
  for (const options of product(axes)) yield { ...unread, options: stored(options) };
}

function* clusters(): Generator<LiveCluster> {
  const sets: LiveCluster['ipsets'][] = [null, {}, { blacklist: [] }, { blacklist: [{ cidr: '198.51.100.0/24' }] }];
  for (const { firewall_enabled, ipsets } of product({ firewall_enabled: [true, false, null], ipsets: sets })) {
    yield { firewall_enabled, ipsets, groups: {}, aliases: {} };
  }
}

describe('frontSteps', () => {
  it('returns on, off or unknown exactly as the evaluator for every node, cluster and guest switch', () => {
    const wrong: string[] = [];
    let compared = 0;
    const switches = [...product({ enable: [0, 1], firewall: [true, false, null] })];
    for (const node of nodes()) {
      for (const cluster of clusters()) {
        for (const { enable, firewall } of switches) {
          const nic = { name: 'net0', firewall, mac: null };
          for (const policy_in of ['ACCEPT', 'DROP'] as const) {
            const guest = { options: { enable, policy_in }, rules: [], ipsets: {}, aliases: {} };
            const live = { cluster, guest, node };
            const prepared = prepareGuest(live, nic);
            for (const { name, action, state } of frontSteps(live, [nic])) {
              if (policy_in !== (action === 'drop' ? 'ACCEPT' : 'DROP')) continue;
              // The default that shows an accepting step is itself not known while a switch is not.
              if (action === 'accept' && (cluster.firewall_enabled === null || firewall === null)) continue;
              // An unread blacklist may hold the source of every packet.
              if (name !== 'blacklist' && cluster.ipsets === null) continue;
              const { verdict, decided_by: by } = evaluate(prepared, PACKETS[name]);
              const hit = by.kind === 'builtin' && by.name === name && verdict === action;
              // Without its chain the packet may still be dropped as invalid, which is another step.
              const chain = action === 'drop' || (enable === 1 && firewall);
              const found = !chain ? 'off' : verdict === 'unknown' ? 'unknown' : hit ? 'on' : 'off';
              compared += 1;
              if (found !== state) {
                wrong.push(
                  `${name} ${state}, evaluated ${found}: ${JSON.stringify({ node, cluster, enable, firewall, by })}`,
                );
              }
            }
          }
        }
      }
    }
    expect(compared).toBeGreaterThan(20_000);
    expect(wrong.slice(0, 3)).toEqual([]);
  });

  it('returns on where one of several interfaces has it, and unknown where no interface could be read', () => {
    const node = { options: {}, networks: null, rules: null };
    const guest = { options: { enable: 0 }, rules: [], ipsets: {}, aliases: {} };
    const cluster = { firewall_enabled: true, ipsets: {}, groups: {}, aliases: {} };
    const nic = (name: string, firewall: boolean) => ({ name, firewall, mac: null });
    const smurf = (nics: Parameters<typeof frontSteps>[1]) =>
      frontSteps({ cluster, guest, node }, nics).find(({ name }) => name === 'smurf')?.state;
    expect(smurf([nic('net0', false)])).toBe('off');
    expect(smurf([nic('net0', false), nic('net1', true)])).toBe('on');
    expect(smurf(null)).toBe('unknown');
  });
});
