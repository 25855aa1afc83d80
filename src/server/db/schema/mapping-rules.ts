import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { primaryId, timestampNow } from '../columns';
import { projects } from './access';
import { clusters } from './clusters';

/** Gives the workloads of a pool, or with a tag, to a project, in one cluster or (`cluster_id` null) in all. */
export const mappingRules = pgTable(
  'mapping_rules',
  {
    id: primaryId(),
    source: text({ enum: ['pool', 'tag'] }).notNull(),
    value: text().notNull(),
    cluster_id: uuid().references(() => clusters.id, { onDelete: 'cascade' }),
    project_id: uuid()
      .notNull()
      .references(() => projects.id, { onDelete: 'restrict' }),
    /** The lowest number decides. */
    priority: integer().notNull().default(1000),
    enabled: boolean().notNull().default(true),
    description: text().notNull().default(''),
    version: integer().notNull().default(1),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    unique('mapping_rules_match_key').on(t.source, t.value, t.cluster_id).nullsNotDistinct(),
    index('mapping_rules_project_idx').on(t.project_id),
    index('mapping_rules_cluster_idx').on(t.cluster_id),
    check('mapping_rules_source', sql`${t.source} in ('pool', 'tag')`),
    check('mapping_rules_value', sql`${t.value} <> ''`),
  ],
);
