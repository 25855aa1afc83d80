import type { LiveRule } from '../firewall/live-state';
import type { GuestDiff } from './compare-rules';
import type { WantedRule } from './wanted';

/** A wanted rule as the hypervisor gives it back. */
export const asLive = (rule: WantedRule, pos: number): LiveRule => ({
  pos,
  enable: 1,
  ...rule.content,
  comment: rule.comment,
});

export const renumber = (rules: readonly LiveRule[]): LiveRule[] => rules.map((rule, pos) => ({ ...rule, pos }));

/** The live rules after a difference was applied, step by step: stale ones go, the rest is put where it belongs. */
export function applyDiff(live: readonly LiveRule[], diff: GuestDiff): LiveRule[] {
  const gone = new Set(diff.removed.map(({ rule }) => rule));
  const left = live.filter((rule) => !gone.has(rule));
  const result = diff.result.map((item) => ('content' in item ? asLive(item, 0) : item));
  const known = new Set(result);
  if (left.some((rule) => !known.has(rule))) throw new Error('A rule that stays is not in the result.');
  return renumber(result);
}
