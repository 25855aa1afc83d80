import { z } from 'zod';
import { type IPAM_STAGES, RUN_KINDS, RUN_STATUSES, type SYNC_STAGES } from './choices';
import { createPageSchema, listInput } from './list';

export type SyncStage = (typeof SYNC_STAGES)[number];

export type IpamStage = (typeof IPAM_STAGES)[number];
export type RunStage = SyncStage | IpamStage;

export type RunStatus = (typeof RUN_STATUSES)[number];
export type RunKind = (typeof RUN_KINDS)[number];
export const RUN_TRIGGERS = ['manual', 'auto', 'setup'] as const;
export type RunTrigger = (typeof RUN_TRIGGERS)[number];

/** `seen` objects were read; each was created, changed, skipped (could not be evaluated) or left unchanged. */
export const StageCounters = z.object({
  seen: z.int(),
  created: z.int(),
  changed: z.int(),
  removed: z.int(),
  skipped: z.int(),
  errors: z.int(),
});

/** Something that went wrong without stopping the run: where, with what, and what can be done. */
export const RunError = z.object({
  stage: z.string(),
  object: z.string().optional(),
  code: z.string(),
  message: z.string(),
  remedy: z.string().optional(),
});

/** One run of a reconciler over one cluster. `errors` keeps the first ones; the counters count them all. */
export const SyncRun = z.object({
  id: z.uuid(),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  kind: z.enum(RUN_KINDS),
  status: z.enum(RUN_STATUSES),
  trigger: z.enum(RUN_TRIGGERS),
  requested_by: z.uuid().nullable(),
  stage: z.string().nullable(),
  progress_done: z.int(),
  progress_total: z.int().nullable(),
  counters: z.record(z.string(), StageCounters),
  errors: z.array(RunError),
  attempts: z.int(),
  created_at: z.string(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
});
export type SyncRun = z.output<typeof SyncRun>;

export const SyncRunListInput = listInput(['created_at'], {
  cluster_id: z.uuid().optional(),
  kind: z.enum(RUN_KINDS).optional(),
  status: z.enum(RUN_STATUSES).optional(),
});
export type SyncRunListInput = z.output<typeof SyncRunListInput>;
export const SyncRunPage = createPageSchema(SyncRun);

/** The answer to a request for a sync that is not waited for. */
export const SyncAccepted = z.object({ run_id: z.uuid() });
