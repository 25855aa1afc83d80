import { sql } from 'drizzle-orm';
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import { BUILT_IN_ROLES } from '@/domain/permissions';
import { newId } from '../lib/ids';
import { roles } from './schema/access';
import { systemSettings } from './schema/operations';

/**
 * Makes the rows that every installation has match the program: the built-in roles (by name; a role of the same name
 * becomes the built-in one) and the `instance` setting, whose id marks managed rules at the provider and never
 * changes. Writes nothing when all rows match already.
 */
export async function seedBuiltIns(db: PostgresJsDatabase): Promise<void> {
  for (const [name, { title, permissions }] of Object.entries(BUILT_IN_ROLES)) {
    await db
      .insert(roles)
      .values({ name, title, permissions: [...permissions], built_in: true })
      .onConflictDoUpdate({
        target: roles.name,
        set: {
          title: sql`excluded.title`,
          permissions: sql`excluded.permissions`,
          built_in: true,
          version: sql`${roles.version} + 1`,
          updated_at: sql`now()`,
        },
        // Permissions are a set: in another order they are the same.
        setWhere: sql`(${roles.title}, ${roles.built_in}) is distinct from (excluded.title, true)
          or not (${roles.permissions} @> excluded.permissions and ${roles.permissions} <@ excluded.permissions)`,
      });
  }
  await db
    .insert(systemSettings)
    .values({ key: 'instance', value: { id: newId() } })
    .onConflictDoNothing();
}
