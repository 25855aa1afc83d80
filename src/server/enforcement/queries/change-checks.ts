import { arrayOverlaps, asc, eq, inArray, sql } from 'drizzle-orm';
import type { Reach } from '@/domain/permissions';
import type { Executor } from '../../db/client';

import { nodeAgents, nodes } from '../../db/schema/clusters';
import { policyTestResults, policyTests } from '../../db/schema/policy-tests';
import { workloads } from '../../db/schema/workloads';
import { testInReach } from './policy-tests';

/** Policy tests with one of some workloads at an end, with their last result. */
export async function listTestsAt(executor: Executor, reach: Reach, workloadIds: readonly string[]) {
  if (workloadIds.length === 0) return [];
  return executor
    .select({
      id: policyTests.id,
      name: policyTests.name,
      protected: policyTests.protected,
      result: policyTestResults.result,
      failing_since: policyTestResults.failing_since,
    })
    .from(policyTests)
    .innerJoin(policyTestResults, eq(policyTestResults.policy_test_id, policyTests.id))
    .where(
      sql`${arrayOverlaps(policyTestResults.workload_ids, [...workloadIds])} and ${testInReach(reach) ?? sql`true`}`,
    )
    .orderBy(asc(policyTests.name), asc(policyTests.id));
}

/** Agents of the nodes on which some workloads are; those that never reported are left out. */
export async function listNodeAgents(executor: Executor, workloadIds: readonly string[]) {
  if (workloadIds.length === 0) return [];
  return executor
    .selectDistinct({
      node_id: nodes.id,
      name: nodes.name,
      last_heartbeat_at: nodeAgents.last_heartbeat_at,
      interval_seconds: nodeAgents.interval_seconds,
    })
    .from(workloads)
    .innerJoin(nodes, eq(nodes.id, workloads.node_id))
    .innerJoin(nodeAgents, eq(nodeAgents.node_id, nodes.id))
    .where(inArray(workloads.id, [...workloadIds]))
    .orderBy(asc(nodes.name), asc(nodes.id));
}
