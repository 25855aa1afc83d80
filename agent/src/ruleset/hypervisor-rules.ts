import { createHash } from 'node:crypto';
import type { Section } from './sections';

/** Chains and sets of pve-firewall in the iptables, ebtables and ipset texts. */
const OWN_CHAIN = /^(?:PVEFW-\S+|(?:tap|veth)\d+i\d+-(?:IN|OUT)|fwbr\d+(?:v\d+)?-(?:FW|IN|OUT|IPS)|GROUP-\S+)$/;
const OWN_TABLE = /"table":"proxmox-firewall(?:-guests)?"|"table":\{[^}]*"name":"proxmox-firewall(?:-guests)?"/;
const FILTERS = {
  ipv4: /^iptables (?:filter)$|^iptables-nft-save$/,
  ipv6: /^ip6tables (?:filter)$|^ip6tables-nft-save$/,
};

/** The name that a line of such a text is about: of a chain, or of a set. */
function getSubject(line: string): string {
  if (line.startsWith(':')) return line.slice(1).split(' ', 1)[0] as string;
  const [word, name = ''] = line.split(' ', 2) as [string, string?];
  return word === '-A' || word === 'add' || word === 'create' ? name : '';
}

function isOwnLine(line: string): boolean {
  if (line.startsWith('{')) return OWN_TABLE.test(line);
  // What sends packets to the hypervisor's chains is part of them.
  return OWN_CHAIN.test(getSubject(line)) || / -j PVEFW-\S+$/.test(line);
}

/** SHA-256 (hex) of the hypervisor's own rules and sets. Other programs change the packet filter, too. */
export function hashHypervisorRules(sections: readonly Section[]): string {
  const hash = createHash('sha256');
  for (const { name, text } of sections) {
    const own = (text ?? '').split('\n').filter(isOwnLine);
    if (own.length > 0) hash.update(`${name}\n${own.join('\n')}\n\n`);
  }
  return hash.digest('hex');
}

const isJump = (line: string, chain: string) => line.startsWith(`-A ${chain} `);

/** Interfaces whose chains of both directions get the packets of bridges, in one text of iptables-save. */
function attachedInterfaces(text: string): Set<string> {
  const lines = text.split('\n');
  const leads = (from: string, to: string) => lines.some((line) => isJump(line, from) && line.endsWith(` -j ${to}`));
  const reached = (chain: string) => leads('FORWARD', 'PVEFW-FORWARD') && leads('PVEFW-FORWARD', chain);
  const jumps = (chain: string, direction: 'IN' | 'OUT') =>
    new Set(
      (reached(chain) ? lines : []).flatMap((line) => {
        const name = isJump(line, chain) ? new RegExp(` -j (\\S+)-${direction}$`).exec(line)?.[1] : undefined;
        return name === undefined ? [] : [name];
      }),
    );
  const out = jumps('PVEFW-FWBR-OUT', 'OUT');
  return new Set([...jumps('PVEFW-FWBR-IN', 'IN')].filter((name) => out.has(name)));
}

type NftMap = { map?: { table?: string; name?: string; elem?: unknown[] } };

/** Interfaces whose packets the maps of proxmox-firewall send to chains of their guest, in both directions. */
function mappedInterfaces(text: string): Set<string> {
  const named = { 'vm-map-in': new Set<string>(), 'vm-map-out': new Set<string>() };
  for (const line of text.split('\n')) {
    if (!line.startsWith('{"map":') || !line.includes('"name":"vm-map-')) continue;
    const { map } = JSON.parse(line) as NftMap;
    if (map?.table !== 'proxmox-firewall-guests' || (map.name !== 'vm-map-in' && map.name !== 'vm-map-out')) continue;
    for (const element of map.elem ?? []) {
      if (Array.isArray(element) && typeof element[0] === 'string') named[map.name].add(element[0]);
    }
  }
  return new Set([...named['vm-map-in']].filter((name) => named['vm-map-out'].has(name)));
}

/**
 * Interfaces of guests that rules are attached to, of either implementation: under iptables for both address families. null: one
 * of the texts could not be read.
 */
export function listAttachedInterfaces(sections: readonly Section[]): ReadonlySet<string> | null {
  if (sections.some(({ name, text }) => text === null && !name.startsWith('ebtables'))) return null;
  const listTexts = (pattern: RegExp) =>
    sections.filter(({ name }) => pattern.test(name)).map(({ text }) => text ?? '');
  const listOfFamily = (pattern: RegExp) =>
    new Set(listTexts(pattern).flatMap((text) => [...attachedInterfaces(text)]));
  const ipv6 = listOfFamily(FILTERS.ipv6);
  return new Set([
    ...[...listOfFamily(FILTERS.ipv4)].filter((name) => ipv6.has(name)),
    ...listTexts(/^nft$/).flatMap((text) => [...mappedInterfaces(text)]),
  ]);
}
