import { and, eq, inArray, sql } from 'drizzle-orm';
import type { TemporaryLog } from '@/domain/policy/temporary-log';
import type { Executor, Tx } from '../../db/client';
import { temporaryLogs } from '../../db/schema/changes';
import { policyPlacements } from '../../db/schema/deployments';
import { batches } from '../../db/update-rows';

type Pair = Pick<TemporaryLog, 'policy_id' | 'workload_id'>;

const isPair = ({ policy_id, workload_id }: Pair) =>
  and(eq(temporaryLogs.policy_id, policy_id), eq(temporaryLogs.workload_id, workload_id));

/**
 * Stores which rules a change logs for a time. What an earlier change still logs at the same workloads for the same policies becomes
 * part of it, at its level.
 */
export async function insertTemporaryLogs(tx: Tx, change_id: string, logs: readonly TemporaryLog[]): Promise<void> {
  for (const batch of batches(logs, 1_000)) {
    await tx
      .insert(temporaryLogs)
      .values(batch.map((log) => ({ ...log, rule_hashes: [...log.rule_hashes], change_id })))
      .onConflictDoUpdate({
        target: [temporaryLogs.policy_id, temporaryLogs.workload_id],
        set: {
          change_id: sql`excluded.change_id`,
          level: sql`excluded.level`,
          rule_hashes: sql`array(select distinct unnest(${temporaryLogs.rule_hashes} || excluded.rule_hashes))`,
        },
      });
  }
}

/** Where a change still logs rules. */
export const listTemporaryLogs = (executor: Executor, changeId: string): Promise<Pair[]> =>
  executor
    .select({ policy_id: temporaryLogs.policy_id, workload_id: temporaryLogs.workload_id })
    .from(temporaryLogs)
    .where(eq(temporaryLogs.change_id, changeId))
    .orderBy(temporaryLogs.policy_id, temporaryLogs.workload_id);

/** What a change still logs of a policy at a workload. */
export async function findTemporaryLog(
  executor: Executor,
  changeId: string,
  pair: Pair,
): Promise<Pick<TemporaryLog, 'level' | 'rule_hashes'> | null> {
  const [row] = await executor
    .select({ level: temporaryLogs.level, rule_hashes: temporaryLogs.rule_hashes })
    .from(temporaryLogs)
    .where(and(eq(temporaryLogs.change_id, changeId), isPair(pair)));
  return row ?? null;
}

/** Nothing of a change is logged any more, at these workloads or anywhere. */
export async function deleteTemporaryLogs(tx: Tx, changeId: string, workloadIds?: readonly string[]): Promise<void> {
  const only = workloadIds && inArray(temporaryLogs.workload_id, [...workloadIds]);
  await tx.delete(temporaryLogs).where(and(eq(temporaryLogs.change_id, changeId), only));
}

/** The same for one policy at one workload, of which then nothing is noted as logged either. */
export async function settleTemporaryLog(tx: Tx, changeId: string, pair: Pair): Promise<void> {
  const deleted = await tx
    .delete(temporaryLogs)
    .where(and(eq(temporaryLogs.change_id, changeId), isPair(pair)))
    .returning({ policy_id: temporaryLogs.policy_id });
  if (deleted.length === 0) return;
  await tx
    .update(policyPlacements)
    .set({
      rules: sql`(select coalesce(jsonb_agg(rule - 'temporary_log' order by at), '[]')
      from jsonb_array_elements(${policyPlacements.rules}) with ordinality as rules (rule, at))`,
    })
    .where(and(eq(policyPlacements.policy_id, pair.policy_id), eq(policyPlacements.workload_id, pair.workload_id)));
}
