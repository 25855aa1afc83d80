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

/** What iptables takes for octal has digits that are not. */
function badOctal({ source, dest }: FirewallRule): string | undefined {
  const elements = [source, dest].flatMap((spec) =>
    spec === undefined || /^[+A-Za-z]|:/.test(spec) ? [] : spec.split(','),
  );
  const wrong = elements.find((element) => element.split(/[-./]/).some((part) => /^0.*[89]/.test(part)));
  return wrong === undefined ? undefined : `host/network '${wrong}' not found`;
}

/** A list has room for fifteen numbers or names; a range takes two. */
function crowdedList({ proto, dport, sport }: FirewallRule): string | undefined {
  const isPorted = PROTOCOL_NAMES.has(PROTOCOL_NUMBERS.get(proto ?? '') ?? proto ?? '');
  const isCrowded = (spec: string | undefined) => spec?.includes(',') && spec.split(/[,:]/).length > 15;
  return isPorted && [dport, sport].some(isCrowded) ? 'too many ports specified' : undefined;
}

const findRuleFault = (rule: FirewallRule) => unknownService(rule) ?? crowdedList(rule) ?? badOctal(rule);

/** Rules that become part of a ruleset: those of groups only where a rule refers to them. */
function findRulesFault(where: string, rules: readonly FirewallRule[], datacenter: FirewallFile): string | undefined {
  for (const [position, rule] of rules.entries()) {
    if (rule.enable !== 1 || rule.errors) continue;
    if (rule.type !== 'group') {
      const fault = findRuleFault(rule);
      if (fault !== undefined) return `${where}: rule ${position}: ${fault}`;
      continue;
    }
    const members = datacenter.groups.get(rule.action)?.entries ?? [];
    const bad = members.findIndex(
      (member) => member.enable === 1 && !member.errors && findRuleFault(member) !== undefined,
    );
    const member = members[bad];
    if (member) return `group ${rule.action}: rule ${bad}: ${findRuleFault(member)}`;
  }
  return undefined;
}

/** The text of an entry for the kernel, as the service writes it: `/32` and `/128` dropped, host bits left alone. */
function formatSetElement(entry: SetEntry, scopes: { datacenter: FirewallFile; guest: FirewallFile | undefined }) {
  const text = ALIAS_REFERENCE.test(entry.cidr) ? aliasText(entry.cidr, scopes) : entry.cidr;
  return text?.replace(/\/(?:32|128)$/, (suffix) => (text.includes(':') === (suffix === '/128') ? '' : suffix));
}

/** One set that the kernel refuses, or the same network twice under different texts. */
function findSetFault(
  entries: readonly SetEntry[],
  scopes: Parameters<typeof formatSetElement>[1],
): string | undefined {
  const texts = new Map<string, string>();
  for (const entry of entries) {
    const text = entry.errors ? undefined : formatSetElement(entry, scopes);
    const range = text === undefined ? undefined : addressRange(text);
    if (text === undefined || !range) continue;
    if (/\/0+$/.test(text)) return `${text}: the value of the CIDR parameter of the IP address is invalid`;
    // The service compares normalized texts before it hands them over; the kernel compares networks.
    const written = normalizeAddress(text);
    const network = `${range.family} ${range.first} ${range.last}`;
    const known = texts.get(network);
    if (known !== undefined && known !== written) return `${text}: the element is in the set already`;
    texts.set(network, written);
  }
  return undefined;
}

/** Address as a number, host bits included, with the prefix length. */
const normalizeAddress = (text: string) => {
  const [address = '', prefix] = text.split('/');
  return `${addressRange(address)?.first}/${prefix}`;
};

function findSetsFault(
  where: string,
  file: FirewallFile,
  scopes: Parameters<typeof formatSetElement>[1],
): string | undefined {
  for (const [name, { entries }] of file.ipsets) {
    const fault = findSetFault(entries, scopes);
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
export function findIptablesFault(
  locals: readonly LocalGuest[],
  datacenter: FirewallFile,
  host: { enabled: boolean; file: FirewallFile },
): string | undefined {
  const shared = findSetsFault('cluster', datacenter, { datacenter, guest: undefined });
  if (shared !== undefined) return shared;
  for (const local of locals) {
    if (local.text === undefined) continue;
    const fault = findSetsFault(`guest ${local.guest.vmid}`, local.file, { datacenter, guest: local.file });
    if (fault !== undefined) return fault;
  }
  if (host.enabled) {
    const fault =
      findRulesFault('node', host.file.rules, datacenter) ?? findRulesFault('cluster', datacenter.rules, datacenter);
    if (fault !== undefined) return fault;
  }
  for (const local of locals) {
    if (local.file.options.enable !== 1) continue;
    const nics = filteredNics(local);
    const present = local.file.rules.map((rule) =>
      nics.length > 0 && (rule.iface === undefined || nics.includes(rule.iface)) ? rule : { ...rule, enable: 0 },
    );
    const fault = findRulesFault(`guest ${local.guest.vmid}`, present, datacenter);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Names of ICMP types that the parser of the new service does not know, although the API does. */
const UNKNOWN_ICMP: readonly string[] = ['reject-route'];

function findParseFault(rules: readonly FirewallRule[]): string | undefined {
  for (const rule of rules) {
    const address = unloadableAddress(rule);
    if (address !== undefined) return address;
    if (UNKNOWN_ICMP.includes(rule['icmp-type'] ?? '')) return `unknown ICMP type '${rule['icmp-type']}'`;
    const families = [rule.source, rule.dest].map((spec) => spec && addressRange(spec.split(',')[0] ?? '')?.family);
    if (families[0] && families[1] && families[0] !== families[1]) return 'families of source and destination differ';
  }
  return undefined;
}

/** What a set refers to must exist, else nothing is generated. Sets that are not made refer to nothing. */
const danglingEntry = (
  file: FirewallFile,
  scopes: Parameters<typeof formatSetElement>[1],
  isMade: (name: string) => boolean = () => true,
) =>
  [...file.ipsets]
    .filter(([name]) => isMade(name))
    .flatMap(([, { entries }]) => entries)
    .find(({ cidr }) => ALIAS_REFERENCE.test(cidr) && aliasText(cidr, scopes) === undefined)?.cidr;

/** A jump to the chain of a group that does not exist. Rules for an interface that has no name are not made. */
const missingGroup = (rules: readonly FirewallRule[], datacenter: FirewallFile) =>
  rules.find(
    ({ enable, type, action, iface }) =>
      enable === 1 && type === 'group' && iface !== 'net31' && !datacenter.groups.has(action),
  )?.action;

/** Why the configuration of a guest cannot be read. */
function findNicFault(guest: Guest): string | undefined {
  for (const name of nicNames(guest.config.current)) {
    const nic = parseNic(guest.type, guest.config.current.get(name) ?? '');
    if (name === 'net31') return 'cannot handle net31';
    if (guest.type === 'qemu' && nic && !NFTABLES_NIC_MODELS.includes(nic.model ?? '')) {
      return `unknown network model ${nic.model}`;
    }
  }
  return undefined;
}

function findGenerateFault(local: LocalGuest, datacenter: FirewallFile): string | undefined {
  const { file } = local;
  const group = missingGroup(file.rules, datacenter);
  if (group !== undefined) return `chain group-${group} does not exist`;
  const filtered = filteredNics(local).map((name) => `ipfilter-${name}`);
  const isMade = (name: string) =>
    name !== 'management' && (!name.startsWith('ipfilter-net') || filtered.includes(name));
  for (const { enable, type, iface, source, dest } of file.rules) {
    if (enable !== 1 || type === 'group' || iface === 'net31') continue;
    const names = [source, dest].flatMap((spec) => /^\+(?:guest\/)?([^/]+)$/.exec(spec ?? '')?.[1] ?? []);
    const lost = names.find((name) => file.ipsets.has(name) && !isMade(name));
    if (lost !== undefined) return `set guest-${local.guest.vmid}/${lost} does not exist`;
  }
  const dangling = danglingEntry(file, { datacenter, guest: file }, isMade);
  return dangling === undefined ? undefined : `could not find alias ${dangling}`;
}

/** Why the new service would read, generate or load nothing. It reads every local guest that has a firewall file. */
export function findNftablesFault(
  locals: readonly LocalGuest[],
  datacenter: FirewallFile,
  host: { enabled: boolean; file: FirewallFile },
): string | undefined {
  const shared = [
    ...datacenter.rules,
    ...host.file.rules,
    ...[...datacenter.groups.values()].flatMap((g) => g.entries),
  ];
  const fault = findParseFault(shared);
  if (fault !== undefined) return `cluster: ${fault}`;
  const present = locals.filter(({ text }) => text !== undefined);
  for (const { guest, file, skipped } of present) {
    const where = `guest ${guest.vmid}`;
    if (skipped.length > 0) return `${where}: cannot parse '${skipped[0]}'`;
    const unread = findParseFault(file.rules) ?? findNicFault(guest);
    if (unread !== undefined) return `${where}: ${unread}`;
  }
  const enabled = present.filter(({ file }) => file.options.enable === 1);
  if (host.enabled || enabled.length > 0) {
    const dangling = danglingEntry(datacenter, { datacenter, guest: undefined });
    if (dangling !== undefined) return `cluster: could not find alias ${dangling}`;
  }
  const group = host.enabled ? missingGroup([...datacenter.rules, ...host.file.rules], datacenter) : undefined;
  if (group !== undefined) return `cluster: chain group-${group} does not exist`;
  for (const local of enabled) {
    const reason = findGenerateFault(local, datacenter);
    if (reason !== undefined) return `guest ${local.guest.vmid}: ${reason}`;
  }
  return undefined;
}
