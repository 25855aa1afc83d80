import { type AddressSet, addressSetHas } from './address-set';
import { compileForNftables } from './compile-nftables';
import {
  ANYTHING,
  type CompiledRule,
  type Conditions,
  icmpConditions,
  isExtensionHeader,
  joinIcmp,
  type Parts,
  withPorts,
} from './compiled-rule';
import type { IcmpMatch } from './data/icmp-types';
import { type MacroPart, macroParts } from './data/macros';
import { hasPorts, protocolNumber } from './data/protocols';
import type { LiveRule } from './live-state';
import type { Packet } from './packet';
import { type PortSet, parseLivePorts, portSetHas } from './port-match';
import { isRefusedType, protocolFamily } from './refused-group';
import { resolveAddress, type Scopes } from './resolve-address';
import type { RulePlace } from './verdict';

/** Null when the combination is one that the hypervisor's compiler refuses, so that no rule comes of it. */
function compileConditions({ proto, dport, sport, icmp }: Parts, family: 4 | 6): Conditions | null {
  const number = proto === undefined || proto === '' ? 0 : protocolNumber(proto);
  if (number === null) return { ...ANYTHING, vague: true };
  if (number !== 0 && isExtensionHeader(number, family)) return null;
  const limited = protocolFamily(proto);
  if (limited !== undefined && limited !== family) return null;
  if (limited !== undefined) {
    // An older way to write ICMP types puts them into the destination port, where macros have theirs: both apply.
    const port = dport === '0' ? undefined : dport || undefined;
    if (port !== undefined && isRefusedType(proto, port, family)) return null;
    const older = icmpConditions(number, port, family);
    return joinIcmp(icmpConditions(number, icmp, family), older);
  }
  const source_ports = parseLivePorts(sport);
  const destination_ports = parseLivePorts(dport);
  if (number !== 0 && hasPorts(number)) return withPorts(number, source_ports, destination_ports);
  if (source_ports || destination_ports) return null;
  return withPorts(number === 0 ? null : number, null, null);
}

const ACTIONS: Readonly<Record<string, 'accept' | 'drop' | 'reject'>> = {
  ACCEPT: 'accept',
  DROP: 'drop',
  REJECT: 'reject',
};

function resolveAddresses(text: string | undefined, family: 4 | 6, scopes: Scopes): AddressSet | null | 'never' {
  if (text === undefined || text === '') return null;
  const set = resolveAddress(text, scopes);
  return set[family].length === 0 && set.rest === 'no' ? 'never' : set;
}

const VAGUE: Conditions = { ...ANYTHING, vague: true };

/** A part of a macro, completed by the rule that uses it. With iptables, the ICMP type of a macro is in the place of a port. */
const completeMacroPart = (part: MacroPart, own: Parts, implementation: Scopes['implementation']): Parts => ({
  proto: part.proto,
  dport: part.dport ?? (implementation === 'nftables' ? own.dport : (part.icmp ?? own.dport)),
  sport: part.sport ?? own.sport,
  icmp: implementation === 'nftables' ? part.icmp : own.icmp,
});

/** Field by field: there are very many rules, and copies of objects take most of the time. */
const toCompiledRule = (
  place: RulePlace,
  action: CompiledRule['action'],
  source: AddressSet | null,
  destination: AddressSet | null,
  { protocol, source_ports, destination_ports, icmp, vague }: Conditions,
): CompiledRule => ({
  place,
  action,
  protocol,
  source,
  destination,
  source_ports,
  destination_ports,
  icmp,
  vague,
});

/**
 * The plain rules that a live rule (not a group reference) becomes for one family, in order; empty when it cannot match.
 * @param place where it stands, for the verdict
 */
export function compileRule(rule: LiveRule, place: RulePlace, family: 4 | 6, scopes: Scopes): CompiledRule[] {
  const action = ACTIONS[rule.action];
  if (action === undefined) return [];
  const { implementation } = scopes;
  const own: Parts = { proto: rule.proto, dport: rule.dport, sport: rule.sport, icmp: rule['icmp-type'] };
  const parts = rule.macro
    ? macroParts(rule.macro, family, implementation)?.map((part) => completeMacroPart(part, own, implementation))
    : [own];
  if (implementation === 'nftables') {
    if (!parts) return [toCompiledRule(place, action, null, null, VAGUE)];
    return parts.flatMap((part) => {
      const found = compileForNftables(part, rule, family, scopes, own);
      return found ? [toCompiledRule(place, action, found.source, found.destination, found.conditions)] : [];
    });
  }
  const source = resolveAddresses(rule.source, family, scopes);
  const destination = resolveAddresses(rule.dest, family, scopes);
  if (source === 'never' || destination === 'never' || (protocolFamily(rule.proto) ?? family) !== family) return [];
  if (!parts) return [toCompiledRule(place, action, source, destination, VAGUE)];
  return parts.flatMap((part) => {
    const found = compileConditions(part, family);
    return found ? [toCompiledRule(place, action, source, destination, found)] : [];
  });
}

/** Placeholder for rules that could not be read: any outcome is possible. */
export const unknownRule = (place: RulePlace): CompiledRule => toCompiledRule(place, 'unknown', null, null, VAGUE);

const matchPort = (set: PortSet | null, port: number | undefined) =>
  set === null ? 'yes' : port === undefined ? 'unknown' : portSetHas(set, port);

function matchIcmp(match: IcmpMatch | null, packet: Packet): 'yes' | 'no' | 'unknown' {
  if (match === null) return 'yes';
  if (packet.icmp_type === undefined) return 'unknown';
  if (packet.icmp_type !== match.type) return 'no';
  if (match.code === undefined) return 'yes';
  if (packet.icmp_code === undefined) return 'unknown';
  return packet.icmp_code === match.code ? 'yes' : 'no';
}

/** Whether the rule matches the packet (of its own family): yes, no, or not known. */
export function matchRule(rule: CompiledRule, packet: Packet): 'yes' | 'no' | 'packet' | 'reference' {
  if (rule.protocol !== null && rule.protocol !== packet.protocol) return 'no';
  const source = rule.source ? addressSetHas(rule.source, packet.source) : 'yes';
  const destination = rule.destination ? addressSetHas(rule.destination, packet.destination) : 'yes';
  const sport = matchPort(rule.source_ports, packet.source_port);
  const dport = matchPort(rule.destination_ports, packet.destination_port);
  const icmp = matchIcmp(rule.icmp, packet);
  if ([source, destination, sport, dport, icmp].includes('no')) return 'no';
  if (icmp === 'unknown') return 'packet';
  if (sport === 'unknown' && packet.source_port === undefined) return 'packet';
  if (dport === 'unknown' && packet.destination_port === undefined) return 'packet';
  return rule.vague || [source, destination, sport, dport].includes('unknown') ? 'reference' : 'yes';
}

/** Whether a match of the other conditions needs `matchRule` to be certain. */
export const needsRuleMatch = (rule: CompiledRule): boolean =>
  rule.vague ||
  rule.icmp !== null ||
  [rule.source, rule.destination, rule.source_ports, rule.destination_ports].some((set) => set?.rest === 'unknown');
