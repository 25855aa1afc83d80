import type { PortRange } from '../../net/port-range';
import type { AddressSpan } from '../address-set';
import type { CompiledRule } from '../compiled-rule';
import { trackedState } from '../connection-state';
import { ICMP, ICMPV6, TCP } from '../data/protocols';
import type { ForwardChain } from '../forward-chain';
import type { PreparedFilter } from '../prepare-guest';
import type { Distinctions } from '../vnet-crossing';
import { allAddresses, getIcmpProtocol, type IcmpRange } from './box';
import { joinSpans, overlap, type Span, subtractSpans } from './spans';

/** What some step of a filter distinguishes: a set of packets as a product, where absent means any. */
export type Condition = {
  readonly protocols?: readonly number[];
  readonly icmp?: readonly IcmpRange[];
  readonly destination_ports?: readonly PortRange[];
  readonly source_ports?: readonly PortRange[];
  readonly destinations?: readonly AddressSpan[];
  readonly sources?: readonly AddressSpan[];
  /** The address ends in .255. */
  readonly destination_255?: boolean;
  readonly source_255?: boolean;
};

/** One step of a filter. Packets that meet it are treated apart from all others. */
export type Cut = {
  readonly when: Condition;
  /** Certainly decides: no later step of the stage sees the packet. */
  readonly ends: boolean;
  /** How packets that meet it are divided further: by the first of these that they meet. */
  readonly divides?: readonly Condition[];
};

/** Steps that a packet meets in this order, until one ends the stage. */
export type Stage = readonly Cut[];

export const cut = (when: Condition, ends: boolean, divides?: readonly Condition[]): Cut => ({
  when,
  ends,
  ...(divides && { divides }),
});

/** The packets that a filter is asked about. */
export type View = { readonly direction: 'in' | 'out'; readonly family: 4 | 6 };

const ADDRESSES_4 = { multicast: { first: 0xe0000000n, last: 0xefffffffn }, all_hosts: 0xffffffffn } as const;
export const MULTICAST: Readonly<Record<4 | 6, readonly AddressSpan[]>> = {
  4: [ADDRESSES_4.multicast],
  6: [{ first: 0xffn << 120n, last: (1n << 128n) - 1n }],
};

const hostSpan = (value: bigint): AddressSpan => ({ first: value, last: value });

/** Broadcast addresses of a node as far as they are known. */
export const broadcastSpans = (broadcasts: readonly bigint[] | null): AddressSpan[] =>
  joinSpans([ADDRESSES_4.all_hosts, ...(broadcasts ?? [])].map(hostSpan));

/** Destinations that are broadcast addresses: certainly, and (where the node's networks are not known) possibly. */
export const toBroadcast = (broadcasts: readonly bigint[] | null): readonly Condition[] => [
  { destinations: joinSpans([hostSpan(0n), ...broadcastSpans(broadcasts)]) },
  ...(broadcasts ? [] : [{ destination_255: true }]),
];

export const icmpTypes = (types: readonly number[]): IcmpRange[] =>
  joinSpans(types.map((type) => ({ first: type * 256, last: type * 256 + 255 })));

/** A port, or the first and last of some. */
export type Port = number | readonly [first: number, last: number];
export const portList = (...ports: Port[]): PortRange[] =>
  joinSpans(
    ports.map((port) => (typeof port === 'number' ? { first: port, last: port } : { first: port[0], last: port[1] })),
  );

const NUMBERS = Array.from({ length: 256 }, (_, type) => type);
const address = (family: 4 | 6) => ({ family, value: 1n });
const invalidTypes = (family: 4 | 6): IcmpRange[] =>
  icmpTypes(
    NUMBERS.filter((icmp_type) => {
      const ends = { source: address(family), destination: address(family) };
      return trackedState({ direction: 'in', ...ends, protocol: getIcmpProtocol(family), icmp_type }) === 'invalid';
    }),
  );
const INVALID: Readonly<Record<4 | 6, readonly Condition[]>> = {
  4: [{ protocols: [ICMP], icmp: invalidTypes(4) }, { protocols: [ICMPV6] }],
  6: [{ protocols: [ICMPV6], icmp: invalidTypes(6) }, { protocols: [ICMP] }],
};

/** Packets that open no connection. @param dropped whether they are dropped; null: not known */
export const invalidCuts = (family: 4 | 6, dropped: boolean | null): Cut[] =>
  dropped === false ? [] : INVALID[family].map((when) => cut(when, dropped === true));

/** What `rejectOutcome` distinguishes, in the order in which it does. */
export function rejectConditions(
  direction: 'in' | 'out',
  family: 4 | 6,
  { implementation, node }: Pick<PreparedFilter, 'implementation' | 'node'>,
): readonly Condition[] {
  if (direction === 'in' && implementation === 'nftables') return [];
  const unanswered = direction === 'out' ? NUMBERS.filter((number) => number !== TCP) : [getIcmpProtocol(family)];
  const toGroup = { protocols: NUMBERS.filter((number) => number !== TCP), destinations: MULTICAST[family] };
  if (family === 6) return [{ protocols: unanswered }, toGroup];
  return [{ protocols: unanswered }, toGroup, { sources: MULTICAST[4] }, ...toBroadcast(node.broadcasts)];
}

export const outside = (spans: readonly AddressSpan[], family: 4 | 6): AddressSpan[] =>
  subtractSpans(allAddresses(family), spans);

/** The steps of one rule: packets that it certainly matches, and those that it may match. @param divides what else the action distinguishes */
export function ruleCuts(rule: CompiledRule, family: 4 | 6, divides: readonly Condition[]): Cut[] {
  const { protocol, source, destination, source_ports, destination_ports, icmp } = rule;
  const conditions = (certain: boolean): Condition => {
    const isKnown = <S extends { readonly rest: 'no' | 'unknown' }>(set: S | null): set is S =>
      set !== null && (certain || set.rest === 'no');
    const found: { -readonly [K in keyof Condition]: Condition[K] } = {};
    if (protocol !== null) found.protocols = [protocol];
    if (icmp) {
      const first = icmp.type * 256 + (icmp.code ?? 0);
      found.icmp = [{ first, last: icmp.code === undefined ? first + 255 : first }];
    }
    if (isKnown(destination_ports)) found.destination_ports = joinSpans(destination_ports.ranges);
    if (isKnown(source_ports)) found.source_ports = joinSpans(source_ports.ranges);
    if (isKnown(destination)) found.destinations = destination[family];
    if (isKnown(source)) found.sources = source[family];
    return found;
  };
  const certain = !rule.vague && rule.action !== 'unknown';
  const partly = [source, destination, source_ports, destination_ports].some((set) => set?.rest === 'unknown');
  const dividing = rule.action === 'reject' ? divides : undefined;
  return [
    ...(certain && partly ? [cut(conditions(true), true, dividing)] : []),
    cut(conditions(false), certain && !partly, dividing),
  ];
}

function chainStage(chain: ForwardChain, family: 4 | 6): Cut[] {
  if (chain.enabled === false) return [];
  return [
    ...invalidCuts(family, chain.drop_invalid),
    ...chain.index(family).rules.flatMap((rule) => ruleCuts(rule, family, [])),
  ];
}

/** What the firewalls of VNets and rules for forwarded traffic distinguish, between an end and the other. */
export function crossingStages(crossing: Distinctions | null, { direction, family }: View): Stage[] {
  if (!crossing) return [];
  const far = direction === 'in' ? 'sources' : 'destinations';
  const addresses = crossing.far_ends.map((set) => cut({ [far]: set[family] }, false));
  return [addresses, ...crossing.chains.map((chain) => chainStage(chain, family))];
}

const meet = <T extends number | bigint>(
  a: readonly Span<T>[] | undefined,
  b: readonly Span<T>[] | undefined,
): boolean => !a || !b || overlap(a, b);

/** Whether some packet may meet both conditions. */
export const meetConditions = (a: Condition, b: Condition): boolean =>
  (!a.protocols || !b.protocols || a.protocols.some((protocol) => b.protocols?.includes(protocol))) &&
  meet(a.icmp, b.icmp) &&
  meet(a.destination_ports, b.destination_ports) &&
  meet(a.source_ports, b.source_ports) &&
  meet(a.destinations, b.destinations) &&
  meet(a.sources, b.sources);
