import { z } from 'zod';

/** A time in which a workload belonged to a tenant, and that has ended. */
export const FormerPeriod = z.object({
  tenant_id: z.uuid(),
  tenant_name: z.string(),
  /** What the workload was called when it went. Null: not noted. */
  name: z.string().nullable(),
  /** Null: as long as it is known. */
  from_at: z.string().nullable(),
  to_at: z.string(),
});

/** A workload that went to another tenant, as those know it to whom it belonged. Where it is now is not told. */
export const FormerWorkload = z.object({
  workload_id: z.uuid(),
  /** What it was called when it went last. Null: not noted. */
  name: z.string().nullable(),
  /** The newest first, 50 at most. */
  periods: z.array(FormerPeriod),
});
export type FormerWorkload = z.output<typeof FormerWorkload>;
