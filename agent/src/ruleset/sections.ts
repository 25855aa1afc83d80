import { readFileSync } from 'node:fs';
import { findTool, runTool } from '../sys/run-tool';
import { canonicalIpset, canonicalSave } from './canonical-text';

/**
 * Names of the loaded kernel modules; null when the kernel has no modules, where nothing can be loaded by asking.
 * Looking at rules of a kind whose module is not loaded would load it, and with it hooks on every packet.
 */
export function loadedModules(): ReadonlySet<string> | null {
  try {
    const lines = readFileSync('/proc/modules', 'latin1').split('\n');
    return new Set(lines.map((line) => line.slice(0, Math.max(0, line.indexOf(' ')))));
  } catch {
    return null;
  }
}

/** One part of the packet filter's rules, in canonical text. null = there, but could not be read. */
export type Section = { name: string; text: string | null };

const LEGACY_TABLES = ['filter', 'nat', 'mangle', 'raw'] as const;
const FAMILIES = [
  { save: 'iptables', module: 'iptable', names: '/proc/self/net/ip_tables_names' },
  { save: 'ip6tables', module: 'ip6table', names: '/proc/self/net/ip6_tables_names' },
] as const;

/** Rules of the old (x_tables) backend and of ipset: they have no generation number and are read every time. */
export async function legacySections(): Promise<Section[]> {
  const modules = loadedModules();
  const isLoaded = (name: string): boolean => modules === null || modules.has(name);
  const sections: Promise<Section>[] = [];
  for (const { save, module, names } of FAMILIES) {
    const tool = findTool(`${save}-legacy-save`);
    for (const table of tool ? LEGACY_TABLES.filter((name) => isTablePresent(name, names, isLoaded, module)) : []) {
      // Per table, since without -t the tool wants a file only root may read.
      sections.push(section(`${save} ${table}`, tool, ['-t', table], canonicalSave));
    }
  }
  const ebtables = findTool('ebtables-legacy-save');
  if (ebtables && isLoaded('ebtable_filter')) sections.push(section('ebtables', ebtables, [], canonicalSave));
  const ipset = findTool('ipset');
  if (ipset && isLoaded('ip_set')) sections.push(section('ipset', ipset, ['save'], canonicalIpset));
  return Promise.all(sections);
}

/**
 * Rules of the nftables backend as the iptables tools write them: nft's own listing leaves out the arguments of
 * iptables matches.
 */
export async function translatedSections(): Promise<Section[]> {
  const tools = ['iptables-nft-save', 'ip6tables-nft-save', 'ebtables-nft-save'] as const;
  const present = tools.flatMap((name) => {
    const path = findTool(name);
    return path ? [{ name, path }] : [];
  });
  return Promise.all(present.map(({ name, path }) => section(name, path, [], canonicalSave)));
}

async function section(
  name: string,
  tool: string | null,
  args: readonly string[],
  canonical: (text: string) => string,
): Promise<Section> {
  try {
    return { name, text: tool === null ? null : canonical(await runTool(tool, args)) };
  } catch {
    return { name, text: null };
  }
}

/** A table is asked for only when it exists: asking would make it. */
function isTablePresent(
  table: string,
  namesFile: string,
  isLoaded: (name: string) => boolean,
  module: string,
): boolean {
  try {
    return readFileSync(namesFile, 'latin1').split('\n').includes(table);
  } catch {
    return isLoaded(`${module}_${table}`);
  }
}
