import type { AddressSet } from './address-set';
import { type IcmpMatch, icmpMatch } from './data/icmp-types';
import type { PortSet } from './port-match';
import type { RulePlace } from './verdict';

/** One plain condition with an outcome: a live rule, or one part of its macro, for one family. */
export type CompiledRule = {
  readonly place: RulePlace;
  readonly action: 'accept' | 'drop' | 'reject' | 'unknown';
  /** Null: any protocol. */
  readonly protocol: number | null;
  readonly source: AddressSet | null;
  readonly destination: AddressSet | null;
  readonly source_ports: PortSet | null;
  readonly destination_ports: PortSet | null;
  readonly icmp: IcmpMatch | null;
  /** Something in the rule could not be understood: it may match less than the other conditions say. */
  readonly vague: boolean;
};

/** What a rule, or one part of its macro, says about protocol and ports. */
export type Parts = Readonly<Record<'proto' | 'dport' | 'sport' | 'icmp', string | undefined>>;

export type Conditions = Omit<CompiledRule, 'place' | 'action' | 'source' | 'destination'>;

export const withPorts = (
  protocol: number | null,
  source_ports: PortSet | null,
  destination_ports: PortSet | null,
): Conditions => ({ protocol, source_ports, destination_ports, icmp: null, vague: false });

export const ANYTHING: Conditions = withPorts(null, null, null);

/** Numbers that are headers in front of a packet's real protocol in IPv6, so that no rule for them ever matches there. */
const EXTENSION_HEADERS = new Set([0, 43, 44, 51, 60]);

export const isExtensionHeader = (protocol: number | null, family: 4 | 6): boolean =>
  family === 6 && protocol !== null && EXTENSION_HEADERS.has(protocol);

/** A protocol of ICMP with a type by its name; absent: with every type. */
export function icmpConditions(protocol: number, name: string | undefined, family: 4 | 6): Conditions {
  const match = name ? icmpMatch(name, family) : 'any';
  return { ...ANYTHING, protocol, icmp: match === 'any' ? null : match, vague: match === null };
}

/** Two conditions on ICMP in one rule; null where no packet matches both. */
export function joinIcmp(one: Conditions, other: Conditions): Conditions | null {
  const vague = one.vague || other.vague;
  if (!one.icmp || !other.icmp) return { ...one, icmp: one.icmp ?? other.icmp, vague };
  const [a, b] = [one.icmp, other.icmp];
  if (a.type !== b.type || (a.code !== undefined && b.code !== undefined && a.code !== b.code)) return null;
  return { ...one, icmp: a.code === undefined ? b : a, vague };
}
