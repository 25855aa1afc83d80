import { and, eq, inArray, sql } from 'drizzle-orm';
import type { GuestResultStatus } from '@/domain/deployments';
import type { Reach } from '@/domain/permissions';
import type { Executor } from '../../db/client';
import { changeWorkloads } from '../../db/schema/changes';
import { deploymentGuests } from '../../db/schema/deployments';
import { deployments } from '../../db/schema/policies';
import { workloads } from '../../db/schema/workloads';
import { workloadInReach } from '../../tenancy/queries/tenant-reach';

/** A workload of a wave, with what became of it in each deployment of the wave. */
export type WaveWorkload = Pick<typeof changeWorkloads.$inferSelect, 'wave' | 'wave_kind' | 'workload_id'> & {
  readonly statuses: readonly GuestResultStatus[];
  readonly started_at: string | null;
  readonly finished_at: string | null;
};

const time = (aggregate: 'min' | 'max', column: 'started_at' | 'finished_at') =>
  sql<string | null>`to_char(${sql.raw(aggregate)}(${deploymentGuests[column]}) at time zone 'UTC',
    'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The workloads of a change that are visible, wave by wave. Those that are gone are left out unless everything is visible. */
export async function listWaveWorkloads(executor: Executor, reach: Reach, changeId: string): Promise<WaveWorkload[]> {
  return executor
    .select({
      wave: changeWorkloads.wave,
      wave_kind: changeWorkloads.wave_kind,
      workload_id: changeWorkloads.workload_id,
      statuses: sql<GuestResultStatus[]>`coalesce(array_agg(${deploymentGuests.status})
        filter (where ${deploymentGuests.status} is not null), '{}')`,
      started_at: time('min', 'started_at'),
      finished_at: time('max', 'finished_at'),
    })
    .from(changeWorkloads)
    .leftJoin(workloads, eq(workloads.id, changeWorkloads.workload_id))
    .leftJoin(
      deployments,
      and(eq(deployments.change_id, changeWorkloads.change_id), eq(deployments.wave, changeWorkloads.wave)),
    )
    .leftJoin(
      deploymentGuests,
      and(
        eq(deploymentGuests.deployment_id, deployments.id),
        eq(deploymentGuests.workload_id, changeWorkloads.workload_id),
      ),
    )
    .where(and(eq(changeWorkloads.change_id, changeId), workloadInReach(reach)))
    .groupBy(changeWorkloads.wave, changeWorkloads.wave_kind, changeWorkloads.workload_id)
    .orderBy(changeWorkloads.wave, changeWorkloads.workload_id);
}

/** The names of workloads that are visible, by id. */
export async function listWorkloadNames(
  executor: Executor,
  reach: Reach,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await executor
    .select({ id: workloads.id, name: workloads.name })
    .from(workloads)
    .where(and(inArray(workloads.id, [...ids]), workloadInReach(reach)));
  return new Map(rows.map(({ id, name }) => [id, name]));
}
