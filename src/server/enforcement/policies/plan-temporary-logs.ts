import type { Compiled } from '@/domain/policy/desired';
import { chooseLoggedRules, type TemporaryLog, type TemporaryLogLevel } from '@/domain/policy/temporary-log';
import { db } from '../../db/client';
import { listDesiredGuests, selectPolicyRules } from '../deployments/guest-work';
import { listAppliedAt } from '../queries/policy-placements';
import type { PolicyInputs } from './policy-inputs';

/**
 * The rules that applying these policies adds, workload by workload: those that were not applied there before, or were not being
 * applied. What is live does not matter, so a rule that someone deleted is no new rule when it is restored.
 */
export async function planTemporaryLogs(
  level: TemporaryLogLevel,
  compiled: Compiled,
  policyIds: readonly string[],
): Promise<TemporaryLog[]> {
  const desired = policyIds.flatMap((policy_id) =>
    listDesiredGuests(compiled, policy_id).map((guest) => ({ policy_id, guest })),
  );
  const applied = await listAppliedAt(db, [...new Set(desired.map(({ guest }) => guest.workload_id))]);
  const known = new Map(applied.map(({ policy_id, workload_id, rules }) => [`${policy_id} ${workload_id}`, rules]));
  return desired.flatMap(({ policy_id, guest }) => {
    const { workload_id } = guest;
    const former = known.get(`${policy_id} ${workload_id}`) ?? [];
    const rule_hashes = chooseLoggedRules(selectPolicyRules(policy_id, { desired: guest }), former);
    return rule_hashes.length > 0 ? [{ policy_id, workload_id, level, rule_hashes }] : [];
  });
}

/** The inputs with what is logged for a time. What an earlier change still logs in the same places is then logged at this level. */
export function mergeTemporaryLogs(inputs: PolicyInputs, planned: readonly TemporaryLog[]): PolicyInputs {
  if (planned.length === 0) return inputs;
  const logs = new Map(inputs.logs.map((log) => [`${log.policy_id} ${log.workload_id}`, log]));
  for (const log of planned) {
    const key = `${log.policy_id} ${log.workload_id}`;
    const rule_hashes = [...new Set([...(logs.get(key)?.rule_hashes ?? []), ...log.rule_hashes])];
    logs.set(key, { ...log, rule_hashes });
  }
  return { ...inputs, logs: [...logs.values()] };
}
