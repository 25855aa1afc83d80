import type { LiveRule } from '../firewall/live-state';
import { canonicalRule } from '../policy/compile';
import type { DesiredRule, RuleContent } from '../policy/desired';
import { contentHash } from '../policy/marker';

const FLAGS = [
  ['iface', '-i'],
  ['source', '-source'],
  ['dest', '-dest'],
  ['proto', '-p'],
  ['sport', '-sport'],
  ['dport', '-dport'],
  ['icmp-type', '-icmp-type'],
  ['log', '-log'],
] as const;

/** The comment behind the marker, as people wrote it. */
export const toOwnComment = (comment: string | undefined) => (comment ?? '').replace(/^\[fabric [^\]]*\] ?/, '');

/** A rule in one line, as the hypervisor's files have it, with its own comment; nothing that matches packets is left out. */
function formatRule(rule: Partial<LiveRule> & Pick<LiveRule, 'type' | 'action'>): string {
  const action = rule.macro ? `${rule.macro}(${rule.action})` : rule.action;
  const parts = FLAGS.flatMap(([field, flag]) => {
    const value = rule[field];
    return value && !(field === 'log' && value === 'nolog') ? [`${flag} ${value}`] : [];
  });
  const comment = toOwnComment(rule.comment);
  return [rule.type.toUpperCase(), action, ...parts, ...(comment ? [`# ${comment}`] : [])].join(' ');
}

export const describeDesired = ({ content, comment }: Pick<DesiredRule, 'content' | 'comment'>): string =>
  formatRule({ ...content, comment });

/** As `describeDesired`; a leading `|` marks a disabled rule, as in the hypervisor's files. */
export function describeLive(rule: LiveRule): string {
  const errors = rule.errors ? ` (invalid: ${Object.keys(rule.errors).sort().join(', ')})` : '';
  return `${rule.enable ? '' : '|'}${formatRule(rule)}${errors}`;
}

const MOST_POSITIONS = 200;
/** Live rules that one rule of a policy has at most, for as long as its marker is looked up. */
const MOST_PARTS = 24;

/**
 * The position in its policy of a live rule, from the hash in its marker; null when the hash is not of this rule: the
 * marker was written by someone else, or the rule was edited.
 */
export function findMarkedPosition(rule: LiveRule, hash: string): number | null {
  const { type, action, enable: _, pos: _pos, comment, log, macro, iface, errors, ...match } = rule;
  if (macro || iface || errors) return null;
  const content = { type, action, ...match, ...(log && log !== 'nolog' && { log }) } as RuleContent;
  const own = toOwnComment(comment);
  for (let position = 0; position < MOST_POSITIONS; position++) {
    for (let part = 0; part < MOST_PARTS; part++) {
      if (contentHash(canonicalRule(position, part, content, own)) === hash) return position;
    }
  }
  return null;
}
