import type { Cluster } from '@/domain/cluster';
import type { FormerWorkload, NetworkDetail } from '@/domain/inventory';
import type { SyncRun } from '@/domain/sync';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { pollUntil, type Waiting } from '../lib/poll-until';
import { notFound } from '../lib/refusals';
import { findCluster } from './queries/clusters';
import { findNetwork } from './queries/networks';
import { findSyncRun } from './queries/sync-runs';
import { listFormerPeriods } from './queries/workloads';

/** @throws AppError `not_found` */
export async function readCluster(_scope: Scope<'cluster:read'>, id: string): Promise<Cluster> {
  const cluster = await findCluster(db, id);
  if (!cluster) throw notFound('cluster');
  return cluster;
}

/** @throws AppError `not_found`, also for a network to which no visible workload is attached */
export async function readNetwork(scope: Scope<'ipam:read'>, id: string): Promise<NetworkDetail> {
  const network = await findNetwork(scope.reach, id);
  if (!network) throw notFound('network');
  return network;
}

/** @throws AppError `not_found` */
export async function readSyncRun(_scope: Scope<'cluster:read'> | Scope<'cluster:sync'>, id: string): Promise<SyncRun> {
  const run = await findSyncRun(id);
  if (!run) throw notFound('sync run');
  return run;
}

/**
 * The run when it has ended, or as it is on timeout or when `signal` aborts.
 * @throws AppError `not_found` when the run is deleted with its cluster in the meantime
 */
export const awaitSyncRun = (scope: Scope<'cluster:sync'>, id: string, waiting?: Waiting): Promise<SyncRun> =>
  pollUntil(
    () => readSyncRun(scope, id),
    (run) => run.finished_at !== null,
    waiting,
  );

const MAX_PERIODS = 50;

/**
 * When a workload belonged to tenants visible to the caller and what it was called then, also when it belongs to
 * another tenant now: what happened in that time remains theirs.
 * @throws AppError `not_found` for a workload that never was visible to the caller, or never left such a tenant
 */
export async function readFormerWorkload(scope: Scope<'workload:read'>, id: string): Promise<FormerWorkload> {
  const periods = await listFormerPeriods(scope.tenants, id, MAX_PERIODS);
  const [last] = periods;
  if (!last) throw notFound('workload');
  return { workload_id: id, name: last.name, periods };
}
