import { POLICY_TIERS } from './tier';
import type { CompilablePolicy } from './wanted';

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** What decides the place of a policy among the others on a workload. */
export type PolicyRank = Pick<CompilablePolicy, 'tier' | 'priority' | 'created_at' | 'id'>;

/**
 * The order in which policies are evaluated on a workload: tier, then priority (low first), then creation, then id so that
 * it is total.
 */
export const comparePolicies = (a: PolicyRank, b: PolicyRank): number =>
  POLICY_TIERS.indexOf(a.tier) - POLICY_TIERS.indexOf(b.tier) ||
  a.priority - b.priority ||
  compareText(a.created_at, b.created_at) ||
  compareText(a.id, b.id);
