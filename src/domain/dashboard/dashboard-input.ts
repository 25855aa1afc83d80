import { z } from 'zod';

const time = z.iso.datetime({ offset: true, error: 'A time such as 2026-01-31T12:00:00Z.' });

/** Without `since` the hour before `until`, without `until` up to now. */
export const DashboardInput = z.strictObject({
  since: time.optional(),
  until: time.optional(),
  /** Only what belongs to this tenant. */
  tenant_id: z.uuid('The id of a tenant.').optional(),
  /** At most so many entries of suspicious traffic, the worst first; all of them when left out. */
  suspicious_limit: z.coerce.number('A number, 0 or more.').int().min(0, 'A number, 0 or more.').optional(),
});
export type DashboardInput = z.output<typeof DashboardInput>;

/** The same for traffic. */
export const DashboardTrafficInput = DashboardInput.omit({ suspicious_limit: true });
export type DashboardTrafficInput = z.output<typeof DashboardTrafficInput>;

/** The same for what is told as of now. */
export const DashboardOperationsInput = DashboardInput.pick({ tenant_id: true });
export type DashboardOperationsInput = z.output<typeof DashboardOperationsInput>;
