import { type FirewallRule, isPerlTrue } from './firewall-rule';

const PARAMETERS: [RegExp, 'proto' | 'dport' | 'sport' | 'source' | 'dest' | 'log' | 'icmp-type'][] = [
  [/^(?:-p|--?proto) (\S+)\s*/, 'proto'],
  [/^--?dport (\S+)\s*/, 'dport'],
  [/^--?sport (\S+)\s*/, 'sport'],
  [/^--?source (\S+)\s*/, 'source'],
  [/^--?dest (\S+)\s*/, 'dest'],
  [/^--?log (emerg|alert|crit|err|warning|notice|info|debug|nolog)\s*/, 'log'],
  [/^--?icmp-type (\S+)\s*/, 'icmp-type'],
];

/** Splits the comment off: everything after the first `#`, without blanks around it. */
export function splitComment(line: string): { text: string; comment: string | undefined } {
  const hash = line.indexOf('#');
  if (hash < 0) return { text: line, comment: undefined };
  return { text: line.slice(0, hash), comment: line.slice(hash + 1).replace(/^[ \t]+|[ \t\r]+$/g, '') };
}

/** Parses one stored line; undefined when the line is unreadable, which loses it at the next write. */
export function parseRuleLine(line: string): FirewallRule | undefined {
  const { text, comment } = splitComment(line);
  let rest = text;
  const rule: Partial<FirewallRule> = { enable: 1 };
  if (comment !== undefined) rule.comment = comment;
  if (rest.startsWith('|')) {
    rule.enable = 0;
    rest = rest.slice(1);
  }
  const head = /^(\S+)\s+(\S+)\s*/.exec(rest);
  if (!head) return undefined;
  rest = rest.slice(head[0].length);
  const type = (head[1] ?? '').toLowerCase();
  if (!['in', 'out', 'forward', 'group'].includes(type)) return undefined;
  let action = head[2] ?? '';
  const macro = /^(\S+)\((ACCEPT|DROP|REJECT)\)$/.exec(action);
  if (macro && type !== 'group') {
    rule.macro = macro[1];
    action = macro[2] ?? '';
  }
  while (rest !== '') {
    const iface = /^-i (\S+)\s*/.exec(rest);
    if (iface) {
      rule.iface = iface[1];
      rest = rest.slice(iface[0].length);
      continue;
    }
    if (type === 'group') break;
    const found = PARAMETERS.map(([regex, name]) => ({ match: regex.exec(rest), name })).find(({ match }) => match);
    if (!found?.match) break;
    rule[found.name] = found.match[1];
    rest = rest.slice(found.match[0].length);
  }
  return rest === '' ? { ...rule, type, action } : undefined;
}

/**
 * The stored line of a rule. Text is written as it is: a line feed in a comment starts another line, and values the
 * server takes for false (`0`, empty) disappear.
 */
export function printRule(rule: FirewallRule, allowInterface: boolean): string {
  const parts = [rule.macro ? `${rule.macro}(${rule.action})` : rule.action];
  if (allowInterface && rule.iface) parts.push(`-i ${rule.iface}`);
  if (rule.type !== 'group') {
    const option = (name: string, value: string | undefined) => {
      if (isPerlTrue(value)) parts.push(`${name} ${value}`);
    };
    option('-source', rule.source);
    option('-dest', rule.dest);
    option('-p', rule.proto);
    option('-dport', rule.dport);
    option('-sport', rule.sport);
    option('-log', rule.log);
    option('-icmp-type', rule['icmp-type']);
  }
  const { comment } = rule;
  const tail = isPerlTrue(comment) && comment?.trim() !== '' ? ` # ${comment}` : '';
  const disabled = rule.enable !== undefined && !rule.enable ? '|' : '';
  return `${disabled}${rule.type.toUpperCase()} ${parts.join(' ')}${tail}`;
}
