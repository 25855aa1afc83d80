import { isIPv6 } from 'node:net';
import type { SetEntry } from '../firewall/firewall-file';
import type { FirewallRule } from '../firewall/firewall-rule';
import { macroRules } from '../firewall/macros';
import { servicePort } from '../firewall/services';
import { PROTOCOL_NUMBERS } from '../firewall/vocabulary';
import { addressRange, type Range } from './address-range';
import type { CompiledGuest, CompiledNode } from './compiled-node';
import { firstRule } from './first-rule';
import { icmpNumber, icmpTypeMatches, isInvalid } from './icmp-numbers';
import type { MatchContext } from './match-rule';
import type { Packet, Verdict } from './packet';
import { isBroadcast } from './standard-chains';

/** One generated rule: the family that its statements fixed so far, and whether they all match the packet. */
type Variant = { family: 4 | 6 | undefined; matches: boolean };

const PORTED: readonly string[] = ['6', '17', '33', '132', '136'];
/** Headers of IPv6 that the kernel skips while it looks for the transport protocol. */
const EXTENSIONS: readonly string[] = ['0', '43', '44', '51', '60'];

export const toProtocolNumber = (name: string) => PROTOCOL_NUMBERS.get(name) ?? name;
const getFamily = (packet: Packet): 4 | 6 => (isIPv6(packet.source) ? 6 : 4);
const contains = (range: Range | undefined, address: Range | undefined) =>
  range !== undefined &&
  address !== undefined &&
  range.family === address.family &&
  range.first <= address.first &&
  address.first <= range.last;

/** The rule refers to something that does not exist: the generator leaves this rule out and continues. */
class Skipped extends Error {}

function aliasRange(reference: string, { guest, datacenter }: MatchContext): Range | undefined {
  const [, scope = '', name = ''] = /^(dc\/|guest\/)?(.*)$/.exec(reference) ?? [];
  const key = name.toLowerCase();
  const own = scope === 'dc/' ? undefined : guest.aliases.get(key);
  const alias = own ?? (scope === 'guest/' ? undefined : datacenter.aliases.get(key));
  return alias && addressRange(alias.cidr);
}

/** A set is two sets: an address is in it when the first has it and the second, of the exceptions, does not. */
export function inInterval(entries: readonly SetEntry[], address: Range | undefined, objects: MatchContext): boolean {
  const has = (nomatch: boolean) =>
    entries.some((entry) => {
      if ((entry.nomatch === 1) !== nomatch) return false;
      const range = /[.:]/.test(entry.cidr) ? addressRange(entry.cidr) : aliasRange(entry.cidr, objects);
      return contains(range, address);
    });
  return has(false) && !has(true);
}

function listSetEntries(reference: string, { guest, datacenter, sdnSets }: MatchContext): readonly SetEntry[] {
  const [, scope = '', name = ''] = /^\+(dc\/|guest\/|sdn\/)?(.*)$/.exec(reference) ?? [];
  if (scope === 'sdn/') {
    const networks = sdnSets.get(name);
    if (!networks) throw new Skipped();
    return networks.map((cidr) => ({ cidr }));
  }
  const own = scope === 'dc/' ? undefined : guest.ipsets.get(name);
  const set = own ?? (scope === 'guest/' ? undefined : datacenter.ipsets.get(name));
  if (!set) throw new Skipped();
  return set.entries;
}

/** Restricts the variants to one end's address. A variant of the other family is left as it is, as the generator does. */
function restrictAddress(variants: Variant[], spec: string, text: string, objects: MatchContext): Variant[] {
  const address = addressRange(text);
  if (spec.startsWith('+')) {
    const matches = inInterval(listSetEntries(spec, objects), address, objects);
    return variants.flatMap((variant) =>
      ([4, 6] as const)
        .filter((family) => variant.family === undefined || variant.family === family)
        .map((family) => ({ family, matches: variant.matches && address?.family === family && matches })),
    );
  }
  const isAlias = /^(dc\/|guest\/)?[A-Za-z]/.test(spec) && !spec.includes(':');
  const alias = isAlias ? aliasRange(spec, objects) : undefined;
  if (isAlias && !alias) throw new Skipped();
  const ranges = isAlias ? [alias] : spec.split(',').map((element) => addressRange(element));
  const family = ranges[0]?.family;
  return variants.map((variant) =>
    variant.family !== undefined && variant.family !== family
      ? variant
      : { family, matches: variant.matches && ranges.some((range) => contains(range, address)) },
  );
}

function portMatches(spec: string | undefined, port: number | undefined): boolean {
  if (spec === undefined) return true;
  return spec.split(',').some((item) => {
    const [low, high = low] = item.split(':').map((part) => servicePort(part, 'last') ?? Number(part));
    return port !== undefined && low !== undefined && high !== undefined && low <= port && port <= high;
  });
}

type Transport = Pick<FirewallRule, 'proto' | 'dport' | 'sport' | 'icmp-type'>;

/** Restricts the variants to a protocol. An ICMP type in the place of a port is ignored. */
function restrictProtocol(variants: Variant[], rule: Transport, packet: Packet): Variant[] {
  if (rule.proto === undefined) return variants;
  const expected = toProtocolNumber(rule.proto);
  const hidden = getFamily(packet) === 6 && EXTENSIONS.includes(toProtocolNumber(packet.proto));
  const same = !hidden && expected === toProtocolNumber(packet.proto);
  if (expected === '1' || expected === '58') {
    const family = expected === '1' ? 4 : 6;
    const type = rule['icmp-type'];
    const matches = same && (type === undefined || icmpTypeMatches(type, packet.icmpType, family));
    return variants.map((variant) =>
      variant.family === undefined || variant.family === family
        ? { family, matches: variant.matches && matches }
        : variant,
    );
  }
  const ports =
    !PORTED.includes(expected) || (portMatches(rule.dport, packet.dport) && portMatches(rule.sport, packet.sport));
  return variants.map((variant) => ({ ...variant, matches: variant.matches && same && ports }));
}

/** Macros of the new service have ICMP types where those of the old one have a port. */
const withType = ({ dport, ...macro }: Transport): Transport =>
  ['icmp', 'icmpv6', 'ipv6-icmp'].includes(macro.proto ?? '')
    ? { ...macro, ...(dport !== undefined && { 'icmp-type': dport }) }
    : { ...macro, ...(dport !== undefined && { dport }) };

export function ruleMatches(rule: FirewallRule, packet: Packet, objects: MatchContext): boolean {
  try {
    let variants: Variant[] = [{ family: undefined, matches: true }];
    variants = restrictProtocol(variants, rule, packet);
    if (rule.macro !== undefined) {
      const given = variants;
      variants = [...macroRules(rule.macro, 4), ...macroRules(rule.macro, 6)].flatMap((template) =>
        restrictProtocol(given, withType(template), packet),
      );
    }
    if (rule.source !== undefined) variants = restrictAddress(variants, rule.source, packet.source, objects);
    if (rule.dest !== undefined) variants = restrictAddress(variants, rule.dest, packet.dest, objects);
    return variants.some(({ matches }) => matches);
  } catch (error) {
    if (error instanceof Skipped) return false;
    throw error;
  }
}

/** Outbound only: on the way in a guest's chain cannot answer. Of the answers only TCP's reset reaches the guest. */
function toRejectVerdict(packet: Packet, node: CompiledNode): 'drop' | 'reject' {
  if (toProtocolNumber(packet.proto) !== '6') return 'drop';
  const silent =
    isBroadcast(packet.dest, node.host) || contains(addressRange('224.0.0.0/4'), addressRange(packet.source));
  return silent ? 'drop' : 'reject';
}

const toVerdict = (action: string, packet: Packet, node: CompiledNode): Verdict['verdict'] => {
  if (action === 'ACCEPT') return 'accept';
  return action === 'REJECT' && packet.direction === 'out' ? toRejectVerdict(packet, node) : 'drop';
};

export const getIcmp = (packet: Packet) => {
  const family = getFamily(packet);
  return toProtocolNumber(packet.proto) === (family === 4 ? '1' : '58')
    ? { family, type: icmpNumber(packet.icmpType, family) }
    : undefined;
};

/** Errors that connections depend on pass in front of every guest. */
export function isVitalIcmp(packet: Packet): boolean {
  const icmp = getIcmp(packet);
  return icmp?.type !== undefined && (icmp.family === 4 ? [3, 4, 11] : [1, 2, 3, 4]).includes(icmp.type);
}

/** What the options of a guest make: chains that accept, or that drop. */
function evaluateOptions(packet: Packet, guest: CompiledGuest, objects: MatchContext): Verdict | undefined {
  const { options } = guest.file;
  const incoming = packet.direction === 'in';
  if (!incoming) {
    const senders = guest.senders.get(packet.nic);
    if (senders && !inInterval(senders, addressRange(packet.source), objects))
      return { verdict: 'drop', by: 'ipfilter' };
    const mac = packet.sourceMac?.toLowerCase();
    if (options.macfilter !== 0 && mac !== undefined && mac !== guest.nics.get(packet.nic)) {
      return { verdict: 'drop', by: 'macfilter' };
    }
  }
  const pairs = incoming ? ['67 68', '547 546'] : ['68 67', '546 547'];
  if (toProtocolNumber(packet.proto) === '17' && pairs.includes(`${packet.sport} ${packet.dport}`)) {
    return { verdict: options.dhcp === 0 ? 'drop' : 'accept', by: 'dhcp' };
  }
  const icmp = getIcmp(packet);
  const type = icmp?.family === 6 ? icmp.type : undefined;
  if (type !== undefined && (incoming ? [133, 134, 135, 136, 137] : [133, 135, 136]).includes(type)) {
    return { verdict: options.ndp === 0 ? 'drop' : 'accept', by: 'ndp' };
  }
  if (!incoming && (type === 134 || type === 137)) {
    return { verdict: options.radv === 1 ? 'accept' : 'drop', by: 'radv' };
  }
  return undefined;
}

const applies = (rule: FirewallRule, packet: Packet) =>
  rule.enable === 1 && (rule.iface === undefined || rule.iface === packet.nic);

/**
 * The decision of `vm-in` and `vm-out` about a packet that starts a new connection.
 * @param guest undefined: the guest has no chains
 */
export function evaluateNftables(packet: Packet, guest: CompiledGuest | undefined, node: CompiledNode): Verdict {
  if (!guest) return { verdict: 'accept', by: 'not-enforced' };
  if (isVitalIcmp(packet)) return { verdict: 'accept', by: 'icmp' };
  // This chain is filled together with the node's own rules, so it is empty where the node does not filter itself.
  if (isInvalid(packet) && node.host.enabled && !node.host.allowInvalid) return { verdict: 'drop', by: 'invalid' };
  const objects: MatchContext = { datacenter: node.datacenter, guest: guest.file, sdnSets: node.sdnSets };
  const early = evaluateOptions(packet, guest, objects);
  if (early) return early;
  const hit = firstRule(packet, objects, { applies, matches: ruleMatches });
  if (hit) return { verdict: toVerdict(hit.action, packet, node), by: 'rule', ...hit.place };
  const stored = guest.file.options[`policy_${packet.direction}`];
  const policy = String(stored ?? (packet.direction === 'in' ? 'DROP' : 'ACCEPT'));
  return { verdict: toVerdict(policy, packet, node), by: 'policy' };
}
