import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_ROLES } from '@/domain/permissions';
import { createTestDatabase, dropTestDatabase } from '@/test/database';
import { migrateDatabase } from './migrate';

async function withDatabase(kind: 'migrated' | 'empty', use: (url: string, sql: postgres.Sql) => Promise<void>) {
  const url = await createTestDatabase(kind);
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await use(url, sql);
  } finally {
    await sql.end();
    await dropTestDatabase(url);
  }
}

const stored = async (sql: postgres.Sql) => ({
  roles: await sql`select * from roles order by name`,
  settings: await sql`select * from system_settings order by key`,
  migrations: await sql`select * from drizzle.__drizzle_migrations order by id`,
});

describe('migrateDatabase', () => {
  it('lets eight processes start concurrently on an empty database', async () => {
    await withDatabase('empty', async (url, sql) => {
      await Promise.all(Array.from({ length: 8 }, () => migrateDatabase(url)));
      const { roles, settings, migrations } = await stored(sql);
      expect(roles.map((role) => role.name)).toEqual(Object.keys(BUILT_IN_ROLES).sort());
      expect(roles.every((role) => role.built_in)).toBe(true);
      expect(settings.map((row) => row.key)).toEqual(['instance']);
      expect(new Set(migrations.map((row) => row.created_at)).size).toBe(migrations.length);
    });
  });

  it('writes nothing the second time', async () => {
    await withDatabase('migrated', async (url, sql) => {
      const before = await stored(sql);
      await migrateDatabase(url);
      expect(await stored(sql)).toEqual(before);
    });
  });

  it('restores a built-in role that was tampered with and keeps the instance id', async () => {
    await withDatabase('migrated', async (url, sql) => {
      const before = await stored(sql);
      await sql`update roles set permissions = '{*}', built_in = false where name = 'viewer'`;
      await migrateDatabase(url);
      const after = await stored(sql);
      const viewer = after.roles.find((role) => role.name === 'viewer');
      expect(viewer).toMatchObject({ permissions: [...BUILT_IN_ROLES.viewer.permissions], built_in: true, version: 2 });
      expect(after.settings).toEqual(before.settings);
    });
  });

  it('leaves a built-in role alone whose permissions are stored in another order', async () => {
    await withDatabase('migrated', async (url, sql) => {
      const turned = [...BUILT_IN_ROLES.viewer.permissions].reverse();
      await sql`update roles set permissions = ${turned} where name = 'viewer'`;
      const before = await stored(sql);
      await migrateDatabase(url);
      expect(await stored(sql)).toEqual(before);
    });
  });

  it('refuses a database whose history lacks a migration that is older than the last applied one', async () => {
    await withDatabase('migrated', async (url, sql) => {
      await sql`delete from drizzle.__drizzle_migrations where id = 1`;
      await expect(migrateDatabase(url)).rejects.toThrow(/0000_initial-schema was not applied/);
    });
  });
});
