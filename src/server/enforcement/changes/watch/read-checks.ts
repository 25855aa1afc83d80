import type { ChangeCheck } from '@/domain/change/watch';
import type { Reach } from '@/domain/permissions';
import type { Executor } from '../../../db/client';
import { clock } from '../../../lib/clock';
import { getStaleSeconds } from '../../../traffic/agents/agents';
import { listNodeAgents, listTestsAt } from '../../queries/change-checks';

/** Who asks: null sees none of it. */
export type CheckReader = { readonly tests: Reach | null; readonly agents: boolean };

type Applied = { readonly applied_at: string };

/** Policy tests and protected connections as they are on the live rules. */
async function readTests(executor: Executor, { applied_at }: Applied, ids: readonly string[], reach: Reach) {
  const tests = await listTestsAt(executor, reach, ids);
  return tests.map(({ id, name, result, failing_since: since, ...test }): ChangeCheck => {
    const isNew = since !== null && Date.parse(since) >= Date.parse(applied_at);
    const failing = isNew ? 'failing' : 'failing_before';
    return {
      kind: test.protected ? 'protected_connection' : 'policy_test',
      ...{ id, name, since },
      state: result === 'fail' ? failing : result === 'pass' ? 'holding' : 'unknown',
    };
  });
}

/** Whether the agents of the nodes still report. One that did not when the change was applied is no sign of it. */
async function readAgents(executor: Executor, { applied_at }: Applied, ids: readonly string[], isVisible: boolean) {
  const now = clock.now().getTime();
  const agents = await listNodeAgents(executor, ids);
  return agents.flatMap(({ node_id, name, last_heartbeat_at: since, interval_seconds }): ChangeCheck[] => {
    if (since === null) return [];
    const patience = getStaleSeconds(interval_seconds) * 1_000;
    const isStale = (at: number) => Date.parse(since) < at - patience;
    return [
      {
        ...{ kind: 'agent', id: isVisible ? node_id : null, name: isVisible ? name : null, since },
        state: isStale(Date.parse(applied_at)) ? 'failing_before' : isStale(now) ? 'failing' : 'holding',
      },
    ];
  });
}

/** What has to hold at workloads after a change was applied there. */
export async function readChecks(
  executor: Executor,
  change: Applied,
  workloadIds: readonly string[],
  reader: CheckReader,
): Promise<ChangeCheck[]> {
  const [tests, agents] = await Promise.all([
    reader.tests === null ? [] : readTests(executor, change, workloadIds, reader.tests),
    readAgents(executor, change, workloadIds, reader.agents),
  ]);
  return [...tests, ...agents];
}
