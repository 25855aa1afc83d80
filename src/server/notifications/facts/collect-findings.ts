import { type Findings, incidentKey } from '@/domain/notifications/advance-incidents';
import type { Condition, Fact } from '@/domain/notifications/condition';
import type { TenantReach } from '@/domain/permissions';
import { logger } from '../../lib/logger';
import { collectForcedChanges, collectIncompleteRollbacks, collectWaitingChanges } from './change-facts';
import { collectDueRecertifications, collectExpiringPolicies } from './expiry-facts';
import {
  collectClusterTraffic,
  collectDrops,
  collectNewExternalServices,
  collectProtectedShare,
  collectWorkloadTraffic,
} from './measurement-facts';
import {
  collectDriftedPolicies,
  collectFailedSyncs,
  collectFailingNodes,
  collectFailingTests,
  collectResidualRules,
} from './policy-facts';
import {
  collectAddressConflicts,
  collectCriticalTraffic,
  collectEscapedTraffic,
  collectRefusedReports,
  collectReplacedTokens,
  collectStaleAgents,
} from './traffic-facts';

/** Current findings of one condition in the given scope. */
export type Collected = {
  facts: Fact[];
  /** Keys of objects about which nothing can be said now. */
  unknown?: string[];
  /** There is more than was read: what is not among the facts may hold as well. */
  incomplete?: boolean;
};
export type Collector = (reach: TenantReach) => Promise<Collected>;
export type Collectors = Record<Condition, Collector>;

const COLLECTORS: Collectors = {
  sync_failed: collectFailedSyncs,
  agent_silent: collectStaleAgents,
  agent_reports_refused: collectRefusedReports,
  agent_token_replaced: collectReplacedTokens,
  policy_drifted: collectDriftedPolicies,
  policy_expiring: collectExpiringPolicies,
  recertification_due: collectDueRecertifications,
  policy_test_failing: collectFailingTests,
  change_in_review: collectWaitingChanges,
  change_break_glass: collectForcedChanges,
  change_rollback_incomplete: collectIncompleteRollbacks,
  residual_rules: collectResidualRules,
  node_firewall_not_compiling: collectFailingNodes,
  suspicious_traffic_critical: collectCriticalTraffic,
  traffic_escaped: collectEscapedTraffic,
  address_conflict: collectAddressConflicts,
  workload_traffic_high: collectWorkloadTraffic,
  cluster_traffic_high: collectClusterTraffic,
  drops_high: collectDrops,
  new_external_service: collectNewExternalServices,
  coverage_low: collectProtectedShare,
};

/**
 * What currently holds of these conditions in the given scope. A condition that cannot be checked is listed as
 * unreadable: it neither holds nor is it over, and the others are still checked.
 */
export async function collectFindings(
  reach: TenantReach,
  conditions: Iterable<Condition>,
  collectors: Collectors = COLLECTORS,
): Promise<Findings> {
  const facts: Fact[] = [];
  const unreadable = new Set<Condition>();
  const unknown = new Set<string>();
  for (const condition of conditions) {
    try {
      const collected = await collectors[condition](reach);
      facts.push(...collected.facts);
      for (const key of collected.unknown ?? []) unknown.add(incidentKey({ condition, key }));
      if (collected.incomplete) unreadable.add(condition);
    } catch (error) {
      logger.error({ err: error, condition }, 'cannot evaluate a notification condition');
      unreadable.add(condition);
    }
  }
  return { facts, unreadable, unknown };
}
