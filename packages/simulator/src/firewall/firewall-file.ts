import { isIPv6 } from 'node:net';
import { ALIAS_REFERENCE, isIpOrCidr } from '../schema/formats';
import { type FirewallRule, isPerlTrue, type RuleScope } from './firewall-rule';
import { type OptionScope, type Options, parseOptionLine } from './option-lines';
import { checkRule, findAlias, type ReferenceScopes } from './rule-check';
import { parseRuleLine, printRule, splitComment } from './rule-text';
import { GROUP_NAME, MAX_GROUP_NAME, MAX_SET_NAME } from './vocabulary';

export type Alias = { name: string; cidr: string; ipversion: 4 | 6; comment?: string };
export type SetEntry = { cidr: string; nomatch?: 1; comment?: string; errors?: Record<string, string> };
/** Rules or set entries with the comment of their section. */
export type Section<T> = { comment?: string; entries: T[] };

/** A parsed firewall file. Sections a scope does not have stay empty. */
export type FirewallFile = {
  options: Options;
  /** By lower-case name; the alias keeps its spelling. */
  aliases: Map<string, Alias>;
  ipsets: Map<string, Section<SetEntry>>;
  rules: FirewallRule[];
  groups: Map<string, Section<FirewallRule>>;
};

export type FileScope = { options: OptionScope; rules: RuleScope };

export const FILE_SCOPES = {
  cluster: { options: 'cluster', rules: 'cluster' },
  host: { options: 'host', rules: 'host' },
  qemu: { options: 'guest', rules: 'vm' },
  lxc: { options: 'guest', rules: 'ct' },
  vnet: { options: 'vnet', rules: 'vnet' },
} as const satisfies Record<string, FileScope>;

export const emptyFirewallFile = (): FirewallFile => ({
  options: {},
  aliases: new Map(),
  ipsets: new Map(),
  rules: [],
  groups: new Map(),
});

/** Normalized address of an alias, with its family; undefined when it is not an address. */
export function parseIpOrCidr(text: string): { cidr: string; ipversion: 4 | 6 } | undefined {
  if (!isIpOrCidr(text)) return undefined;
  const ipversion = isIPv6(text.split('/')[0] ?? '') ? 6 : 4;
  return { cidr: text.replace(ipversion === 6 ? /\/128$/ : /\/32$/, ''), ipversion };
}

function parseAlias(line: string): Alias | undefined {
  const { text, comment } = splitComment(line);
  const [, name, address] = /^(\S+)\s+(\S+)\s*$/.exec(text) ?? [];
  const parsed = parseIpOrCidr(address ?? '');
  if (name === undefined || !GROUP_NAME.test(name) || !parsed) return undefined;
  return { name, ...parsed, ...(comment && { comment }) };
}

function parseSetEntry(line: string, seen: Set<string>, references: ReferenceScopes): SetEntry | undefined {
  const { text, comment } = splitComment(line);
  const [, nomatch, raw] = /^(!)?\s*(\S+)\s*$/.exec(text) ?? [];
  if (raw === undefined) return undefined;
  const entry: SetEntry = { cidr: raw };
  let problem: string | undefined;
  if (ALIAS_REFERENCE.test(raw)) {
    if (!findAlias(references, raw)) problem = `no such alias '${raw}'`;
  } else {
    const parsed = parseIpOrCidr(raw);
    if (parsed) entry.cidr = parsed.cidr;
    else problem = 'value does not look like a valid IP address or CIDR network';
  }
  if (problem === undefined && seen.has(entry.cidr)) problem = `duplicate ipset entry for '${entry.cidr}'`;
  if (/\/0+$/.test(entry.cidr)) problem = 'a zero prefix is not allowed in ipset entries';
  if (nomatch) entry.nomatch = 1;
  if (comment) entry.comment = comment;
  if (problem !== undefined) entry.errors = { cidr: problem };
  seen.add(entry.cidr);
  return entry;
}

/**
 * Parses a firewall file like the server does on every call: lines it does not understand are skipped without a word,
 * set and group names are lower-cased, problems of rules are recorded in them.
 * @param datacenter references of the cluster file; absent while parsing the cluster file itself
 */
export function parseFirewallFile(
  text: string,
  scope: FileScope,
  outer: {
    datacenter?: ReferenceScopes['datacenter'];
    sdnSets: ReadonlySet<string>;
    /** Called with every line that is not understood. */
    onSkipped?: (line: string) => void;
  },
): FirewallFile {
  const file = emptyFirewallFile();
  const own = { aliases: file.aliases, ipsets: file.ipsets };
  const references: ReferenceScopes = {
    datacenter: outer.datacenter ?? own,
    ...(outer.datacenter && scope.options === 'guest' && { guest: own }),
    sdnSets: outer.sdnSets,
  };
  const hasObjects = scope.options === 'guest' || scope.options === 'cluster';
  let read: ((line: string) => void) | undefined;

  const addRule = (list: FirewallRule[], ruleScope: RuleScope) => (line: string) => {
    const rule = parseRuleLine(line);
    if (rule) list.push(checkRule(rule, ruleScope, references, false));
    else outer.onSkipped?.(line);
  };
  const startSection = (line: string): boolean => {
    if (/^\[options\]$/i.test(line)) {
      read = (optionLine) => {
        const option = parseOptionLine(scope.options, optionLine);
        if (option) file.options[option[0]] = option[1];
        else outer.onSkipped?.(optionLine);
      };
    } else if (/^\[rules\]$/i.test(line)) {
      read = addRule(file.rules, scope.rules);
    } else if (hasObjects && /^\[aliases\]$/i.test(line)) {
      read = (aliasLine) => {
        const alias = parseAlias(aliasLine);
        if (alias) file.aliases.set(alias.name.toLowerCase(), alias);
        else outer.onSkipped?.(aliasLine);
      };
    } else {
      const [, kind = '', rawName = '', rawComment] =
        /^\[(group|ipset)\s+(\S+)\]\s*(?:#[ \t]*(.*?)[ \t]*)?$/i.exec(line) ?? [];
      const isGroup = kind.toLowerCase() === 'group';
      if (rawName === '' || (isGroup ? scope.options !== 'cluster' : !hasObjects)) return false;
      const name = rawName.toLowerCase();
      const tooLong = name.length > (isGroup ? MAX_GROUP_NAME : MAX_SET_NAME);
      read = undefined;
      if (tooLong || !GROUP_NAME.test(name)) return true;
      const comment = rawComment ? { comment: rawComment } : {};
      if (isGroup) {
        const section: Section<FirewallRule> = { ...comment, entries: [] };
        file.groups.set(name, section);
        read = addRule(section.entries, 'group');
      } else {
        const section: Section<SetEntry> = { ...comment, entries: [] };
        const seen = new Set<string>();
        file.ipsets.set(name, section);
        read = (entryLine) => {
          const entry = parseSetEntry(entryLine, seen, references);
          if (entry) section.entries.push(entry);
        };
      }
    }
    return true;
  };

  for (const rawLine of text.split('\n')) {
    const line = rawLine.replace(/^[ \t]+|[ \t]+$/g, '');
    if (line === '' || /^\s*$/.test(line) || line.startsWith('#')) continue;
    if (!line.startsWith('[') || !startSection(line)) read?.(line);
  }
  return file;
}

const withComment = (text: string, comment: string | undefined) =>
  isPerlTrue(comment) && comment?.trim() !== '' ? `${text} # ${comment}` : text;

/**
 * Text of a firewall file; empty when there is nothing to store, which deletes the file.
 * @param shuffle order of the options, which the server leaves to its hash function
 */
export function printFirewallFile(file: FirewallFile, shuffle: (names: string[]) => string[]): string {
  let text = '';
  const options = shuffle(Object.keys(file.options));
  if (options.length > 0)
    text += `[OPTIONS]\n\n${options.map((name) => `${name}: ${file.options[name]}\n`).join('')}\n`;
  if (file.aliases.size > 0) {
    const lines = [...file.aliases.keys()].sort().map((key) => {
      const alias = file.aliases.get(key) as Alias;
      return withComment(`${alias.name} ${alias.cidr}`, alias.comment);
    });
    text += `[ALIASES]\n\n${lines.join('\n')}\n\n`;
  }
  for (const name of [...file.ipsets.keys()].sort()) {
    const section = file.ipsets.get(name) as Section<SetEntry>;
    const byCidr = new Map(section.entries.map((entry) => [entry.cidr, entry]));
    const lines = [...byCidr.keys()].sort().map((cidr) => {
      const entry = byCidr.get(cidr) as SetEntry;
      return `${withComment(`${entry.nomatch ? '!' : ''}${cidr}`, entry.comment)}\n`;
    });
    text += `${withComment(`[IPSET ${name}]`, section.comment)}\n\n${lines.join('')}\n`;
  }
  if (file.rules.length > 0) {
    text += `[RULES]\n\n${file.rules.map((rule) => `${printRule(rule, true)}\n`).join('')}\n`;
  }
  for (const name of [...file.groups.keys()].sort()) {
    const section = file.groups.get(name) as Section<FirewallRule>;
    const lines = section.entries.map((rule) => `${printRule(rule, false)}\n`);
    text += `${withComment(`[group ${name}]`, section.comment)}\n\n${lines.join('')}\n`;
  }
  return text;
}
