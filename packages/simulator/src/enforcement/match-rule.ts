import { isIPv6 } from 'node:net';
import type { FirewallFile, SetEntry } from '../firewall/firewall-file';
import type { FirewallRule } from '../firewall/firewall-rule';
import { isIpv6Macro, macroRules } from '../firewall/macros';
import { servicePort } from '../firewall/services';
import { ICMP_TYPES, ICMPV6_TYPES, PROTOCOL_NUMBERS } from '../firewall/vocabulary';
import { addressRange, type Range } from './address-range';
import { icmpTypeMatches } from './icmp-numbers';
import type { Packet } from './packet';

export type MatchContext = {
  datacenter: FirewallFile;
  guest: FirewallFile;
  /** Networks of sets derived from the SDN configuration. */
  sdnSets: ReadonlyMap<string, readonly string[]>;
  /** Rules in the chain of a group that a rule jumps to; absent: all that are stored. */
  listMembers?: (rule: FirewallRule) => readonly FirewallRule[];
};

/** Headers of IPv6 that `-p` looks behind, so that a rule for them never matches; AH (51) is one. */
const EXTENSIONS: readonly string[] = ['0', '43', '44', '51', '60'];

const protocolNumber = (name: string) => PROTOCOL_NUMBERS.get(name) ?? name;

const inRange = (address: Range, range: Range | undefined) =>
  range !== undefined && range.family === address.family && range.first <= address.first && address.first <= range.last;

/** The value of an alias, as it was written. */
export function aliasText(
  reference: string,
  { guest, datacenter }: { guest: FirewallFile | undefined; datacenter: FirewallFile },
): string | undefined {
  const [, scope = '', name = ''] = /^(dc\/|guest\/)?(.*)$/.exec(reference) ?? [];
  const key = name.toLowerCase();
  const own = scope === 'dc/' ? undefined : guest?.aliases.get(key);
  return (own ?? (scope === 'guest/' ? undefined : datacenter.aliases.get(key)))?.cidr;
}

function aliasRange(reference: string, context: MatchContext): Range | undefined {
  const text = aliasText(reference, context);
  return text === undefined ? undefined : addressRange(text);
}

function setContains(reference: string, address: Range, context: MatchContext): boolean {
  const [, scope = '', name = ''] = /^\+(dc\/|guest\/|sdn\/)?(.*)$/.exec(reference) ?? [];
  if (scope === 'sdn/') return (context.sdnSets.get(name) ?? []).some((cidr) => inRange(address, addressRange(cidr)));
  const own = scope === 'dc/' ? undefined : context.guest.ipsets.get(name);
  const set = own ?? (scope === 'guest/' ? undefined : context.datacenter.ipsets.get(name));
  if (!set && scope === '') return setContains(`+sdn/${name}`, address, context);
  return entriesContain(set?.entries ?? [], address, context);
}

/** Whether a kernel set of these entries holds the address: the most specific one decides. */
export function entriesContain(entries: readonly SetEntry[], address: Range, context: MatchContext): boolean {
  let best: { size: bigint; nomatch: boolean } | undefined;
  for (const entry of entries) {
    if (entry.errors) continue;
    const range = /[.:]/.test(entry.cidr) ? addressRange(entry.cidr) : aliasRange(entry.cidr, context);
    if (!inRange(address, range) || !range) continue;
    const size = range.last - range.first;
    // Of two entries for the same network, the last one wins.
    if (!best || size <= best.size) best = { size, nomatch: entry.nomatch === 1 };
  }
  return best !== undefined && !best.nomatch;
}

function addressMatches(spec: string | undefined, text: string, context: MatchContext): boolean {
  if (spec === undefined) return true;
  const address = addressRange(text);
  if (!address) return false;
  if (spec.startsWith('+')) return setContains(spec, address, context);
  if (/^(dc\/|guest\/)?[A-Za-z][A-Za-z0-9\-_]+$/.test(spec)) return inRange(address, aliasRange(spec, context));
  return spec.split(',').some((element) => inRange(address, addressRange(element)));
}

function portMatches(spec: string | undefined, port: number | undefined): boolean {
  if (spec === undefined) return true;
  if (port === undefined) return false;
  return spec.split(',').some((item) => {
    const [low, high = low] = item.split(':').map((part) => servicePort(part, 'first') ?? Number(part));
    return low !== undefined && high !== undefined && low <= port && port <= high;
  });
}

/** The type of ICMP in the place of a port, where the compiler takes it for neither a type nor a port. */
export function isLostType({ proto, dport }: FirewallRule): boolean {
  if (!dport || (proto !== 'icmp' && proto !== 'icmpv6' && proto !== 'ipv6-icmp')) return false;
  if (proto === 'ipv6-icmp') return true;
  return /^\d+$/.test(dport) ? Number(dport) > 255 : !(proto === 'icmp' ? ICMP_TYPES : ICMPV6_TYPES).has(dport);
}

/** One rule without a macro. */
function plainMatches(rule: FirewallRule, packet: Packet, context: MatchContext): boolean {
  if (isLostType(rule)) return false;
  if (rule.ipversion !== undefined && (rule.ipversion === 6) !== isIPv6(packet.source)) return false;
  if (rule.proto !== undefined) {
    const sent = protocolNumber(packet.proto);
    if (protocolNumber(rule.proto) !== sent || (isIPv6(packet.source) && EXTENSIONS.includes(sent))) return false;
  }
  const isIcmp = ['1', '58'].includes(protocolNumber(packet.proto));
  // A macro has its type in the place of a port, where a rule has it, too, that was written the older way.
  const types = [rule['icmp-type'], rule.dport].filter((type) => type !== undefined);
  const family = isIPv6(packet.source) ? 6 : 4;
  if (
    isIcmp
      ? !types.every((type) => icmpTypeMatches(type, packet.icmpType, family))
      : !portMatches(rule.dport, packet.dport)
  ) {
    return false;
  }
  return (
    (isIcmp || portMatches(rule.sport, packet.sport)) &&
    addressMatches(rule.source, packet.source, context) &&
    addressMatches(rule.dest, packet.dest, context)
  );
}

/** Does the rule apply to the packet? Direction, interface and errors are looked at by the caller. */
export function ruleMatches(rule: FirewallRule, packet: Packet, context: MatchContext): boolean {
  if (rule.macro === undefined) return plainMatches(rule, packet, context);
  const family = isIPv6(packet.source) ? 6 : 4;
  if (family === 4 && isIpv6Macro(rule.macro)) return false;
  return macroRules(rule.macro, family).some((template) => plainMatches({ ...rule, ...template }, packet, context));
}
