import { sql } from 'drizzle-orm';
import { boolean, check, foreignKey, index, integer, jsonb, pgTable, real, text, uuid } from 'drizzle-orm/pg-core';
import type { ImpactReader } from '@/domain/impact/stored-impact';
import type { AddressWidth } from '@/domain/suggestion/prefixes';
import type { StoredFindings } from '@/domain/suggestion/stored-evidence';
import type { SuggestionScope } from '@/domain/suggestion/suggestion';
import { primaryId, timestampNow, timestamptz } from '../columns';
import { projects, tenants } from './access';
import { changes } from './changes';
import { impacts } from './impacts';

/** Policies that are suggested from conversations: what was found, and what was chosen since. Drafts are computed when they are read. */
export const suggestions = pgTable(
  'suggestions',
  {
    id: primaryId(),
    /** Whose the policies will be. */
    tenant_id: uuid().references(() => tenants.id, { onDelete: 'cascade' }),
    project_id: uuid(),
    scope: jsonb().$type<SuggestionScope>().notNull(),
    scope_name: text().notNull(),
    /** Workloads of the scope when it was asked for. */
    workload_ids: uuid().array().notNull(),
    /** Only who sees all that the one saw for whom it was computed may read it. */
    reader: jsonb().$type<ImpactReader>().notNull(),
    since: timestamptz().notNull(),
    held_out_since: timestamptz().notNull(),
    until: timestamptz().notNull(),
    status: text({ enum: ['queued', 'running', 'done', 'failed'] })
      .notNull()
      .default('queued'),
    progress: real().notNull().default(0),
    /** Null until it is computed. */
    findings: jsonb().$type<StoredFindings>(),
    message: text(),
    /** Position of the slider that was chosen; null: the recommended one. */
    position: real(),
    /** Edited groups; null: those of the position. */
    groups: jsonb().$type<{ name: string | null; workload_ids: string[] }[]>(),
    widths: jsonb().$type<Record<string, AddressWidth>>().notNull().default({}),
    close: boolean().notNull().default(true),
    version: integer().notNull().default(1),
    /** The newest change that was made of it, and its impact as if the policies were enforced. */
    change_id: uuid().references(() => changes.id, { onDelete: 'set null' }),
    impact_id: uuid().references(() => impacts.id, { onDelete: 'set null' }),
    lease_owner: text(),
    lease_at: timestamptz(),
    attempts: integer().notNull().default(0),
    created_at: timestampNow(),
    started_at: timestamptz(),
    finished_at: timestamptz(),
  },
  (t) => [
    foreignKey({
      name: 'suggestions_project_fk',
      columns: [t.tenant_id, t.project_id],
      foreignColumns: [projects.tenant_id, projects.id],
    }).onDelete('cascade'),
    index('suggestions_tenant_idx').on(t.tenant_id),
    index('suggestions_project_idx').on(t.project_id).where(sql`${t.project_id} is not null`),
    index('suggestions_change_idx').on(t.change_id).where(sql`${t.change_id} is not null`),
    index('suggestions_impact_idx').on(t.impact_id).where(sql`${t.impact_id} is not null`),
    index('suggestions_status_idx').on(t.status, t.id),
    check('suggestions_project', sql`${t.project_id} is null or ${t.tenant_id} is not null`),
    check('suggestions_status', sql`${t.status} in ('queued', 'running', 'done', 'failed')`),
    check('suggestions_window', sql`${t.since} < ${t.held_out_since} and ${t.held_out_since} < ${t.until}`),
    check('suggestions_finished', sql`(${t.finished_at} is not null) = (${t.status} in ('done', 'failed'))`),
  ],
);
