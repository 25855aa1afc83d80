import { compileRule, unknownRule } from './compile-rule';
import type { CompiledRule } from './compiled-rule';
import type { LiveCluster, LiveRule } from './live-state';
import { findRefusedMember } from './refused-group';
import type { Scopes } from './resolve-address';
import type { ListScope, RulePlace } from './verdict';

type Direction = 'in' | 'out' | 'forward';

/** How a list of rules is read for one chain. */
export type ChainView = {
  readonly direction: Direction;
  readonly family: 4 | 6;
  /** What rules of the list may refer to; those of groups see the cluster's objects only. */
  readonly scopes: Scopes;
  readonly groups: LiveCluster['groups'];
  /** Whether a rule with this interface is in the chain; absent: no rule with one is. */
  readonly hasInterface?: (iface: string) => boolean;
  /** Whose list it is; absent: the guest's own. */
  readonly origin?: ListScope;
  /** Leaves out rules that match no packet in question; absent: all rules count. */
  readonly isAsked?: AskedRules;
};

/** Whether a rule may match one of the packets in question, whatever their addresses. */
export type AskedRules = (rule: LiveRule, view: Pick<ChainView, 'family' | 'scopes'>) => boolean;

/**
 * Whether a stored rule is in the chain. What the API marks as broken is left out with iptables. The nftables
 * implementation reads the file for itself: it leaves out rules whose alias or set is gone, what it makes of others is
 * not known.
 */
function presence({ enable, errors }: LiveRule, { implementation }: Scopes): 'yes' | 'no' | 'unknown' {
  if (!enable) return 'no';
  if (errors === undefined) return 'yes';
  if (implementation !== 'nftables') return 'no';
  return Object.values(errors).every((text) => text.startsWith('no such ')) ? 'no' : 'unknown';
}

function compileLive(rule: LiveRule, place: RulePlace, view: ChainView): CompiledRule[] {
  const present = presence(rule, view.scopes);
  if (present === 'no' || rule.type !== view.direction || view.isAsked?.(rule, view) === false) return [];
  const compiled = compileRule(rule, place, view.family, view.scopes);
  return present === 'yes' ? compiled : compiled.map((part) => ({ ...part, vague: true }));
}

function compileGroup(rule: LiveRule, place: RulePlace, view: ChainView): CompiledRule[] {
  const present = presence(rule, view.scopes);
  if (present === 'no') return [];
  const inGroup = { ...place, group: rule.action };
  if (!view.groups) return [unknownRule(inGroup)];
  // A group that does not exist is an empty chain.
  const members = Object.hasOwn(view.groups, rule.action) ? (view.groups[rule.action] ?? []) : [];
  const { implementation, cluster } = view.scopes;
  const refused = implementation === 'nftables' ? null : findRefusedMember(members, view.family, cluster);
  if (refused !== null) return [unknownRule({ ...inGroup, group_position: refused })];
  const own = { ...view, scopes: { ...view.scopes, guest: null } };
  return [...members]
    .sort((a, b) => a.pos - b.pos)
    .flatMap((member) => compileLive(member, { ...inGroup, group_position: member.pos }, own))
    .map((part) => (present === 'yes' ? part : { ...part, vague: true }));
}

/** The plain rules of one chain in their order. @param rules null: could not be read */
export function compileChain(rules: readonly LiveRule[] | null, view: ChainView): CompiledRule[] {
  const { origin } = view;
  if (!rules) return [unknownRule({ ...origin, position: 0 })];
  return [...rules]
    .sort((a, b) => a.pos - b.pos)
    .filter(({ iface }) => !iface || view.hasInterface?.(iface))
    .flatMap((rule) => {
      const place = origin ? { ...origin, position: rule.pos } : { position: rule.pos };
      return rule.type === 'group' ? compileGroup(rule, place, view) : compileLive(rule, place, view);
    });
}
