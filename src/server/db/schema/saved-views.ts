import { sql } from 'drizzle-orm';
import { check, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { primaryId, timestampNow } from '../columns';
import { tenants, users } from './access';

/** Pages with their filters under a name: of one user, or shared with a tenant, and then of no user. */
export const savedViews = pgTable(
  'saved_views',
  {
    id: primaryId(),
    user_id: uuid().references(() => users.id, { onDelete: 'cascade' }),
    tenant_id: uuid().references(() => tenants.id, { onDelete: 'cascade' }),
    /** Path of the page. */
    page: text().notNull(),
    name: text().notNull(),
    /** What its URL holds after `?`. */
    query: text().notNull(),
    version: integer().notNull().default(1),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    check('saved_views_owner', sql`(${t.user_id} is null) <> (${t.tenant_id} is null)`),
    uniqueIndex('saved_views_user_key').on(t.user_id, t.page, sql`lower(${t.name})`),
    uniqueIndex('saved_views_tenant_key').on(t.tenant_id, t.page, sql`lower(${t.name})`),
  ],
);
