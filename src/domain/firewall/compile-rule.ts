import { type AddressSet, addressSetHas } from './address-set';
import { compileForNftables } from './compile-nftables';
import { ANYTHING, type CompiledRule, type Conditions, isExtensionHeader, type Parts } from './compiled-rule';
import { type IcmpMatch, icmpMatch } from './data/icmp-types';
import { macroParts } from './data/macros';
import { hasPorts, protocolNumber } from './data/protocols';
import type { LiveRule } from './live-state';
import type { Packet } from './packet';
import { type PortSet, parseLivePorts, portSetHas } from './port-match';
import { resolveAddress, type Scopes } from './resolve-address';
import type { RulePlace } from './verdict';

/** The family that the protocol's name limits a rule to. Numbers do not limit it. */
const protocolFamily = (proto: string | undefined): 4 | 6 | undefined =>
  proto === 'icmp' ? 4 : proto === 'icmpv6' || proto === 'ipv6-icmp' ? 6 : undefined;

/** Null when the combination is one that the hypervisor's compiler refuses, so that no rule comes of it. */
function conditionsOf({ proto, dport, sport, icmp }: Parts, family: 4 | 6): Conditions | null {
  const number = proto === undefined || proto === '' ? 0 : protocolNumber(proto);
  if (number === null) return { ...ANYTHING, vague: true };
  if (number !== 0 && isExtensionHeader(number, family)) return null;
  const limited = protocolFamily(proto);
  if (limited !== undefined && limited !== family) return null;
  if (limited !== undefined) {
    // An older way to write ICMP types puts them into the destination port.
    const name = icmp || (dport === '0' ? undefined : dport) || undefined;
    const match = name === undefined ? 'any' : icmpMatch(name, family);
    return { ...ANYTHING, protocol: number, icmp: match === 'any' ? null : match, vague: match === null };
  }
  const ports = { source_ports: parseLivePorts(sport), destination_ports: parseLivePorts(dport) };
  if (number !== 0 && hasPorts(number)) return { ...ANYTHING, protocol: number, ...ports };
  if (ports.source_ports || ports.destination_ports) return null;
  return { ...ANYTHING, protocol: number === 0 ? null : number };
}

const ACTIONS: Readonly<Record<string, 'accept' | 'drop' | 'reject'>> = {
  ACCEPT: 'accept',
  DROP: 'drop',
  REJECT: 'reject',
};

function addressesOf(text: string | undefined, family: 4 | 6, scopes: Scopes): AddressSet | null | 'never' {
  if (text === undefined || text === '') return null;
  const set = resolveAddress(text, scopes);
  return set[family].length === 0 && set.rest === 'no' ? 'never' : set;
}

/**
 * The plain rules that a live rule (not a group reference) becomes for one family, in order; empty when it cannot match.
 * @param place where it stands, for the verdict
 */
export function compileRule(rule: LiveRule, place: RulePlace, family: 4 | 6, scopes: Scopes): CompiledRule[] {
  const action = ACTIONS[rule.action];
  if (action === undefined) return [];
  const own: Parts = {
    ...(rule.proto && { proto: rule.proto }),
    ...(rule.dport && { dport: rule.dport }),
    ...(rule.sport && { sport: rule.sport }),
    ...(rule['icmp-type'] && { icmp: rule['icmp-type'] }),
  };
  const { implementation } = scopes;
  const parts = rule.macro
    ? macroParts(rule.macro, family, implementation)?.map((part): Parts => ({ ...own, ...part }))
    : [own];
  if (implementation === 'nftables') {
    const unknown = { ...ANYTHING, source: null, destination: null, vague: true };
    const found = parts ? parts.map((part) => compileForNftables(part, rule, family, scopes)) : [unknown];
    return found.flatMap((compiled) => (compiled ? [{ place, action, ...compiled }] : []));
  }
  const source = addressesOf(rule.source, family, scopes);
  const destination = addressesOf(rule.dest, family, scopes);
  if (source === 'never' || destination === 'never') return [];
  const conditions = parts?.map((part) => conditionsOf(part, family)) ?? [{ ...ANYTHING, vague: true }];
  return conditions.flatMap((found) => (found ? [{ place, action, source, destination, ...found }] : []));
}

/** Placeholder for rules that could not be read: any outcome is possible. */
export const unknownRule = (place: RulePlace): CompiledRule => ({
  place,
  action: 'unknown',
  source: null,
  destination: null,
  ...ANYTHING,
  vague: true,
});

const portAnswer = (set: PortSet | null, port: number | undefined) =>
  set === null ? 'yes' : port === undefined ? 'unknown' : portSetHas(set, port);

function icmpAnswer(match: IcmpMatch | null, packet: Packet): 'yes' | 'no' | 'unknown' {
  if (match === null) return 'yes';
  if (packet.icmp_type === undefined) return 'unknown';
  if (packet.icmp_type !== match.type) return 'no';
  if (match.code === undefined) return 'yes';
  if (packet.icmp_code === undefined) return 'unknown';
  return packet.icmp_code === match.code ? 'yes' : 'no';
}

/** Whether the rule matches the packet (of its own family): yes, no, or not known. */
export function ruleAnswer(rule: CompiledRule, packet: Packet): 'yes' | 'no' | 'packet' | 'reference' {
  if (rule.protocol !== null && rule.protocol !== packet.protocol) return 'no';
  const source = rule.source ? addressSetHas(rule.source, packet.source) : 'yes';
  const destination = rule.destination ? addressSetHas(rule.destination, packet.destination) : 'yes';
  const sport = portAnswer(rule.source_ports, packet.source_port);
  const dport = portAnswer(rule.destination_ports, packet.destination_port);
  const icmp = icmpAnswer(rule.icmp, packet);
  if ([source, destination, sport, dport, icmp].includes('no')) return 'no';
  if (icmp === 'unknown') return 'packet';
  if (sport === 'unknown' && packet.source_port === undefined) return 'packet';
  if (dport === 'unknown' && packet.destination_port === undefined) return 'packet';
  return rule.vague || [source, destination, sport, dport].includes('unknown') ? 'reference' : 'yes';
}

/** Whether a match of the other conditions needs `ruleAnswer` to be certain. */
export const needsAnswer = (rule: CompiledRule): boolean =>
  rule.vague ||
  rule.icmp !== null ||
  [rule.source, rule.destination, rule.source_ports, rule.destination_ports].some((set) => set?.rest === 'unknown');
