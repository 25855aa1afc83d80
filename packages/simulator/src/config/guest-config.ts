import { createHash } from 'node:crypto';
import type { GuestType } from '../schema/guest-nic';
import { percentDecode } from '../transport/request-body';

/**
 * A guest's configuration file. The text is the truth, as on a node: every change is a rewrite of the text, and the
 * digest is the SHA-1 of the whole file, so that snapshots, locks and pending edits change it too.
 */
export type GuestConfig = {
  /** Live values; `description` holds the comment lines at the top. */
  current: Map<string, string>;
  /** Values that become live at the next cold start. */
  pending: Map<string, string>;
  /** Options whose removal is pending → 1, or 2 when forced. */
  pendingDelete: Map<string, 1 | 2>;
  /** Raw settings of a container (`lxc.…`), which may repeat. */
  raw: [string, string][];
  snapshots: Map<string, Map<string, string>>;
};

const PENDING_HEADER = { qemu: '[PENDING]', lxc: '[pve:pending]' } as const;

export const configDigest = (text: string): string => createHash('sha1').update(text).digest('hex');

const parseDelete = (list: string): Map<string, 1 | 2> =>
  new Map(
    list
      .split(/[,;\s]+/)
      .filter((name) => name !== '')
      .map((name) => (name.startsWith('!') ? [name.slice(1), 2] : [name, 1])),
  );

export function parseGuestConfig(type: GuestType, text: string): GuestConfig {
  const config: GuestConfig = {
    current: new Map(),
    pending: new Map(),
    pendingDelete: new Map(),
    raw: [],
    snapshots: new Map(),
  };
  const description: string[] = [];
  let section = config.current;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    if (line.toLowerCase() === PENDING_HEADER[type].toLowerCase()) {
      section = config.pending;
      continue;
    }
    const snapshot = /^\[([a-z][a-z0-9_-]+)\]\s*$/i.exec(line)?.[1];
    if (snapshot !== undefined) {
      section = new Map();
      config.snapshots.set(snapshot, section);
      continue;
    }
    if (line.startsWith('#')) {
      if (section === config.current) description.push(percentDecode(line.slice(1)));
      continue;
    }
    const [, key = '', value = ''] = /^([a-z][a-z0-9_.-]*):\s*(.*?)\s*$/i.exec(line) ?? [];
    if (key === '') continue;
    if (section === config.pending && key === 'delete') config.pendingDelete = parseDelete(value);
    else if (type === 'lxc' && key.startsWith('lxc.')) config.raw.push([key, value]);
    else section.set(key, value);
  }
  if (description.length > 0) config.current.set('description', `${description.join('\n')}\n`);
  return config;
}

const printSection = (values: Map<string, string>): string[] =>
  [...values.keys()].sort().flatMap((key) => (key === 'description' ? [] : [`${key}: ${values.get(key)}`]));

export function printGuestConfig(type: GuestType, config: GuestConfig): string {
  const lines: string[] = [];
  const description = config.current.get('description');
  if (description) {
    for (const line of description.replace(/\n$/, '').split('\n')) lines.push(`#${line.replaceAll('%', '%25')}`);
  }
  lines.push(...printSection(config.current), ...config.raw.map(([key, value]) => `${key}: ${value}`));
  if (config.pending.size > 0 || config.pendingDelete.size > 0) {
    lines.push('', PENDING_HEADER[type]);
    if (config.pendingDelete.size > 0) {
      const names = [...config.pendingDelete].map(([name, force]) => (force === 2 ? `!${name}` : name));
      lines.push(`delete: ${names.join(',')}`);
    }
    lines.push(...printSection(config.pending));
  }
  for (const [name, values] of config.snapshots) lines.push('', `[${name}]`, ...printSection(values));
  return `${lines.join('\n')}\n`;
}

/** Live values with pending ones laid over them: what `GET config` without `current=1` answers. */
export function mergedConfig(config: GuestConfig): Map<string, string> {
  const merged = new Map(config.current);
  for (const name of config.pendingDelete.keys()) merged.delete(name);
  for (const [name, value] of config.pending) merged.set(name, value);
  return merged;
}

/** Names of the NICs of a set of values, in numeric order. */
export const nicNames = (values: Map<string, string>): string[] =>
  [...values.keys()].filter((key) => /^net\d+$/.test(key)).sort((a, b) => Number(a.slice(3)) - Number(b.slice(3)));
