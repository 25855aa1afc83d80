import { z } from 'zod';
import { INCIDENT_SORTS, INCIDENT_STATUSES } from '../choices';
import { createPageSchema, listInput } from '../list';
import { CONDITIONS } from './condition';

/** That a condition holds, or held, for one object, as one rule counts it. */
export const NotificationIncident = z.object({
  id: z.uuid(),
  rule_id: z.uuid(),
  rule_name: z.string(),
  tenant_id: z.uuid().nullable(),
  tenant_name: z.string().nullable(),
  condition: z.enum(CONDITIONS),
  object_kind: z.string(),
  object_id: z.string().nullable(),
  object_name: z.string(),
  detail: z.string(),
  status: z.enum(INCIDENT_STATUSES),
  first_seen_at: z.iso.datetime(),
  clear_since: z.iso.datetime().nullable(),
  flaps: z.int(),
  opened_at: z.iso.datetime().nullable(),
  closed_at: z.iso.datetime().nullable(),
});
export type NotificationIncident = z.output<typeof NotificationIncident>;

export const NotificationIncidentListInput = listInput(INCIDENT_SORTS, {
  status: z.enum(INCIDENT_STATUSES, `One of ${INCIDENT_STATUSES.join(', ')}.`).optional(),
  condition: z.enum(CONDITIONS, `One of ${CONDITIONS.join(', ')}.`).optional(),
  rule_id: z.uuid('The ID of a rule.').optional(),
  tenant_id: z.union([z.uuid(), z.literal('none')], 'The ID of a tenant, or none.').optional(),
});
export type NotificationIncidentListInput = z.output<typeof NotificationIncidentListInput>;
export const NotificationIncidentPage = createPageSchema(NotificationIncident);
