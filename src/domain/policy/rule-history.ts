import type { SecurityRule } from '../policies';
import { toRuleContentKey } from './snapshot';

/** The rules of one version of a policy. */
export type VersionRules = { readonly version: number; readonly created_at: string; readonly rules: SecurityRule[] };

const isSameContent = (rule: SecurityRule, other: SecurityRule | undefined) =>
  other !== undefined && rule.id === other.id && toRuleContentKey(rule) === toRuleContentKey(other);

/**
 * Since when a rule has been as it is: when the first of the versions in a row up to the newest was made that has it so.
 * @param versions of its policy, the newest first; null when the newest does not have it
 */
export function unchangedSince(rule: SecurityRule, versions: readonly VersionRules[]): string | null {
  let since: string | null = null;
  for (const { created_at, rules } of versions) {
    if (!rules.some((other) => isSameContent(rule, other))) break;
    since = created_at;
  }
  return since;
}

/** The present rule that has the same content as the one at a position of some version; null for one that is gone. */
export const findPresentRule = (
  present: readonly SecurityRule[],
  version: VersionRules | undefined,
  position: number,
): SecurityRule | null => {
  const then = version?.rules.find((rule) => rule.position === position);
  return (then && present.find((rule) => isSameContent(rule, then))) ?? null;
};
