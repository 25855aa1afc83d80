import { parseIp } from '../net/ip-address';
import { evaluate } from './evaluate';
import type { LiveCluster, LiveGuest, LiveNic, LiveNode, LiveRule, LiveState } from './live-state';
import type { Packet } from './packet';
import { prepareGuest } from './prepare-guest';
import { PLAIN_NODE } from './random-state.fixture';

export const ip = (text: string) => parseIp(text) ?? { family: 4 as const, value: 0n };
export const NFTABLES_NODE: LiveNode = { ...PLAIN_NODE, options: { nftables: 1 } };
export const NIC: LiveNic = { name: 'net0', firewall: true, mac: 'BC:24:11:00:00:01' };

export type Change = { cluster?: Partial<LiveCluster>; guest?: Partial<LiveGuest>; node?: LiveNode | null };

export const buildState = (
  rules: Partial<LiveRule>[] | null,
  { cluster, guest, node = PLAIN_NODE }: Change = {},
): LiveState => ({
  cluster: { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {}, ...cluster },
  guest: {
    options: { enable: 1 },
    rules: rules?.map((rule, pos) => ({ pos, type: 'in', action: 'ACCEPT', enable: 1, ...rule })) ?? null,
    ipsets: {},
    aliases: {},
    ...guest,
  },
  node,
});

export const packet = (change: Partial<Packet> = {}): Packet => ({
  direction: 'in',
  source: ip('192.0.2.1'),
  destination: ip('10.0.0.9'),
  protocol: 6,
  source_port: 40000,
  destination_port: 22,
  ...change,
});

/** What becomes of a packet at a guest with these rules. */
export const verdict = (state: LiveState, change: Partial<Packet> = {}, nic: Partial<LiveNic> = {}) =>
  evaluate(prepareGuest(state, { ...NIC, ...nic }), packet(change));
