import { nicNames } from '../config/guest-config';
import type { FirewallFile, SetEntry } from '../firewall/firewall-file';
import type { FirewallRule } from '../firewall/firewall-rule';
import { serviceHasProtocol } from '../firewall/services';
import { PROTOCOL_NUMBERS } from '../firewall/vocabulary';
import { ALIAS_REFERENCE } from '../schema/formats';
import { NFTABLES_NIC_MODELS, parseNic } from '../schema/guest-nic';
import type { Guest } from '../state/guest';
import { addressRange } from './address-range';
import { aliasText } from './match-rule';

/** A guest whose files the node's firewall service reads. */
export type LocalGuest = { guest: Guest; text: string | undefined; file: FirewallFile; skipped: readonly string[] };

const PROTOCOL_NAMES: ReadonlyMap<string, string> = new Map(
  ['tcp', 'udp', 'udplite', 'dccp', 'sctp'].map((name) => [PROTOCOL_NUMBERS.get(name) ?? '', name]),
);

/** Ports that iptables refuses: a name that the services file does not have for the protocol of the rule. */
function unknownService({ proto, dport, sport }: FirewallRule): string | undefined {
  const protocol = PROTOCOL_NAMES.get(PROTOCOL_NUMBERS.get(proto ?? '') ?? proto ?? '');
  if (protocol === undefined) return undefined;
  const names = [dport, sport].flatMap((spec) => spec?.split(/[,:]/) ?? []).filter((item) => !/^\d+$/.test(item));
  const wrong = names.find((name) => !serviceHasProtocol(name, protocol));
  return wrong === undefined ? undefined : `invalid port/service '${wrong}' specified for protocol ${protocol}`;
}

function unloadableAddress({ source, dest }: FirewallRule): string | undefined {
  for (const spec of [source, dest]) {
    if (spec === undefined || /^[+A-Za-z]/.test(spec)) continue;
    const wrong = spec.split(',').find((element) => addressRange(element) === undefined);
    if (wrong !== undefined) return `invalid address '${wrong}'`;
  }
  return undefined;
}

const ruleFault = (rule: FirewallRule) => unknownService(rule) ?? unloadableAddress(rule);

/** Rules that become part of a ruleset: those of groups only where a rule refers to them. */
function rulesFault(where: string, rules: readonly FirewallRule[], datacenter: FirewallFile): string | undefined {
  for (const [position, rule] of rules.entries()) {
    if (rule.enable !== 1 || rule.errors) continue;
    if (rule.type !== 'group') {
      const fault = ruleFault(rule);
      if (fault !== undefined) return `${where}: rule ${position}: ${fault}`;
      continue;
    }
    const members = datacenter.groups.get(rule.action)?.entries ?? [];
    const bad = members.findIndex((member) => member.enable === 1 && !member.errors && ruleFault(member) !== undefined);
    const member = members[bad];
    if (member) return `group ${rule.action}: rule ${bad}: ${ruleFault(member)}`;
  }
  return undefined;
}

/** The text of an entry for the kernel, as the service writes it: `/32` and `/128` dropped, host bits left alone. */
function setElement(entry: SetEntry, scopes: { datacenter: FirewallFile; guest: FirewallFile | undefined }) {
  const text = ALIAS_REFERENCE.test(entry.cidr) ? aliasText(entry.cidr, scopes) : entry.cidr;
  return text?.replace(/\/(?:32|128)$/, (suffix) => (text.includes(':') === (suffix === '/128') ? '' : suffix));
}

/** One set that the kernel refuses, or the same network twice under different texts. */
function setFault(entries: readonly SetEntry[], scopes: Parameters<typeof setElement>[1]): string | undefined {
  const texts = new Map<string, string>();
  for (const entry of entries) {
    const text = entry.errors ? undefined : setElement(entry, scopes);
    const range = text === undefined ? undefined : addressRange(text);
    if (text === undefined || !range) continue;
    if (/\/0+$/.test(text)) return `${text}: the value of the CIDR parameter of the IP address is invalid`;
    // The service compares normalized texts before it hands them over; the kernel compares networks.
    const written = normalized(text);
    const network = `${range.family} ${range.first} ${range.last}`;
    const known = texts.get(network);
    if (known !== undefined && known !== written) return `${text}: the element is in the set already`;
    texts.set(network, written);
  }
  return undefined;
}

/** Address as a number, host bits included, with the prefix length. */
const normalized = (text: string) => {
  const [address = '', prefix] = text.split('/');
  return `${addressRange(address)?.first}/${prefix}`;
};

function setsFault(where: string, file: FirewallFile, scopes: Parameters<typeof setElement>[1]): string | undefined {
  for (const [name, { entries }] of file.ipsets) {
    const fault = setFault(entries, scopes);
    if (fault !== undefined) return `${where}: ipset ${name}: ${fault}`;
  }
  return undefined;
}

const filteredNics = ({ guest }: LocalGuest) =>
  nicNames(guest.config.current).filter((name) => {
    const nic = parseNic(guest.type, guest.config.current.get(name) ?? '');
    return nic?.firewall === '1';
  });

/**
 * Why iptables-restore or ipset would refuse what the service makes of these files, undefined when they would not. The
 * API accepts all of it. Sets are loaded of every guest with a file, rules of guests whose firewall is on.
 */
export function iptablesFault(
  locals: readonly LocalGuest[],
  datacenter: FirewallFile,
  host: { enabled: boolean; file: FirewallFile },
): string | undefined {
  const shared = setsFault('cluster', datacenter, { datacenter, guest: undefined });
  if (shared !== undefined) return shared;
  for (const local of locals) {
    if (local.text === undefined) continue;
    const fault = setsFault(`guest ${local.guest.vmid}`, local.file, { datacenter, guest: local.file });
    if (fault !== undefined) return fault;
  }
  if (host.enabled) {
    const fault =
      rulesFault('node', host.file.rules, datacenter) ?? rulesFault('cluster', datacenter.rules, datacenter);
    if (fault !== undefined) return fault;
  }
  for (const local of locals) {
    if (local.file.options.enable !== 1) continue;
    const nics = filteredNics(local);
    const present = local.file.rules.map((rule) =>
      nics.length > 0 && (rule.iface === undefined || nics.includes(rule.iface)) ? rule : { ...rule, enable: 0 },
    );
    const fault = rulesFault(`guest ${local.guest.vmid}`, present, datacenter);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Names of ICMP types that the parser of the new service does not know, although the API does. */
const UNKNOWN_ICMP: readonly string[] = ['reject-route'];

function parseFault(rules: readonly FirewallRule[]): string | undefined {
  for (const rule of rules) {
    const address = unloadableAddress(rule);
    if (address !== undefined) return address;
    if (UNKNOWN_ICMP.includes(rule['icmp-type'] ?? '')) return `unknown ICMP type '${rule['icmp-type']}'`;
    const families = [rule.source, rule.dest].map((spec) => spec && addressRange(spec.split(',')[0] ?? '')?.family);
    if (families[0] && families[1] && families[0] !== families[1]) return 'families of source and destination differ';
  }
  return undefined;
}

/** What a set refers to must exist, else nothing is generated. */
const danglingEntry = (file: FirewallFile, scopes: Parameters<typeof setElement>[1]) =>
  [...file.ipsets.values()]
    .flatMap(({ entries }) => entries)
    .find(({ cidr }) => ALIAS_REFERENCE.test(cidr) && aliasText(cidr, scopes) === undefined)?.cidr;

/** Why the new service would read, generate or load nothing. It reads every local guest that has a firewall file. */
export function nftablesFault(
  locals: readonly LocalGuest[],
  datacenter: FirewallFile,
  host: { enabled: boolean; file: FirewallFile },
): string | undefined {
  const shared = [
    ...datacenter.rules,
    ...host.file.rules,
    ...[...datacenter.groups.values()].flatMap((g) => g.entries),
  ];
  const fault = parseFault(shared);
  if (fault !== undefined) return `cluster: ${fault}`;
  for (const { guest, text, file, skipped } of locals) {
    if (text === undefined) continue;
    const where = `guest ${guest.vmid}`;
    if (skipped.length > 0) return `${where}: cannot parse '${skipped[0]}'`;
    const unread = parseFault(file.rules);
    if (unread !== undefined) return `${where}: ${unread}`;
    for (const name of nicNames(guest.config.current)) {
      const nic = parseNic(guest.type, guest.config.current.get(name) ?? '');
      if (name === 'net31') return `${where}: cannot handle net31`;
      if (guest.type === 'qemu' && nic && !NFTABLES_NIC_MODELS.includes(nic.model ?? '')) {
        return `${where}: unknown network model ${nic.model}`;
      }
    }
    if (file.options.enable !== 1) continue;
    const group = file.rules.find(
      (rule) => rule.enable === 1 && rule.type === 'group' && !datacenter.groups.has(rule.action),
    );
    if (group) return `${where}: chain group-${group.action} does not exist`;
    const dangling = danglingEntry(file, { datacenter, guest: file });
    if (dangling !== undefined) return `${where}: could not find alias ${dangling}`;
  }
  const dangling = danglingEntry(datacenter, { datacenter, guest: undefined });
  return dangling === undefined ? undefined : `cluster: could not find alias ${dangling}`;
}
