import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, dropTestDatabase } from '@/test/database';
import { makeOldInstallation } from '@/test/old-installation';
import { overrideConstant } from '@/test/override-constant';
import { queryDatabase as query, readSchema } from '@/test/read-schema';
import { migrateDatabase } from '../db/migrate';
import { AGE_COST } from './encryption';
import { checkBackup } from './read-backup';
import { restoreBackup } from './restore-backup';
import { type BackupOptions, writeBackup } from './write-backup';

const PASSPHRASE = 'a quiet walk through the woods';
const SECRETS = { secret_key: 'k'.repeat(40), previous_secret_key: null };

// backup-command.int.test.ts has backups with the real cost.
afterAll(overrideConstant(AGE_COST, { logN: 10 }));

let directory: string;
let source: string;
/** A backup of the source, which no test changes. */
let written: string;
const databases: string[] = [];

async function database(kind: 'migrated' | 'empty' = 'migrated'): Promise<string> {
  const url = await createTestDatabase(kind);
  databases.push(url);
  return url;
}

let files = 0;
async function backUp(url: string, options: Partial<BackupOptions> = {}): Promise<string> {
  const path = join(directory, `${++files}.backup`);
  const bytes = writeBackup({
    ...{ databaseUrl: url, programVersion: '0.0.0', keyId: null, passphrase: null, secrets: null },
    ...options,
  });
  await writeFile(path, bytes);
  return path;
}

async function restore(path: string, url: string, { replace = false, passphrase = null as string | null } = {}) {
  const backup = await checkBackup(path, passphrase);
  await restoreBackup({ databaseUrl: url, path, passphrase, backup, replace });
}

const readManifest = async (path: string) => (await checkBackup(path, null)).manifest;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'fabric-backup-'));
  source = await createTestDatabase('empty');
  await makeOldInstallation(source, { workloads: 300, flows: 1600 });
  await migrateDatabase(source);
  await query(
    source,
    `insert into agent_hours select id, '2026-11-24T06:00:00Z', 60, 30, '{["2026-11-24 06:00Z","2026-11-24 06:20Z"),["2026-11-24 06:40Z","2026-11-24 07:00Z")}',
      '{}', '{}', 1, 2, 3, 4, 5, 6, 7 from nodes`,
  );
  // Gaps and a value that is not the last: the sequence must go on where it stood.
  await query(source, `select setval('traffic_marks_id_seq', 4711, true)`);
  written = await backUp(source);
}, 120_000);

afterEach(async () => {
  for (const url of databases.splice(0)) await dropTestDatabase(url);
});

afterAll(async () => {
  await dropTestDatabase(source);
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
});

describe('backup and restore', () => {
  it('makes the same installation again: rows, schema, sequences', async () => {
    const { tables, sequences } = await readManifest(written);
    expect(tables.find(({ name }) => name === 'traffic_flows')?.rows).toBe(1600);
    expect(tables.find(({ name }) => name === 'agent_hours')?.rows).toBeGreaterThan(0);
    expect(tables.find(({ name }) => name === 'audit_records')?.rows).toBe(5000);
    for (const kind of ['migrated', 'empty'] as const) {
      const target = await database(kind);
      await restore(written, target);
      expect(await readManifest(await backUp(target))).toEqual({ tables, sequences });
      expect(await readSchema(target)).toEqual(await readSchema(source));
      const [next] = await query<{ id: string }>(
        target,
        `insert into traffic_marks (cluster_id, bucket_at) values (gen_random_uuid(), now()) returning id::text`,
      );
      expect(next?.id).toBe('4712');
      await expect(query(target, `delete from audit_records`)).rejects.toThrow(/append-only/);
    }
  });

  it('stores one consistent state of a database under writes', async () => {
    const target = await database();
    await restore(written, target);
    let writing = true;
    let commits = 0;
    const writer = (async () => {
      const client = new pg.Client({ connectionString: target });
      await client.connect();
      // A tenant with its project in one transaction: a backup holds both or none.
      for (; writing; commits += 1) {
        await client.query('begin');
        await client.query(`insert into tenants (id, name) values (gen_random_uuid(), 'during ' || $1)`, [commits]);
        await client.query(
          `insert into projects (id, tenant_id, name) select gen_random_uuid(), id, name from tenants where name = 'during ' || $1`,
          [commits],
        );
        await client.query('commit');
      }
      await client.end();
    })();
    await expect.poll(() => commits).toBeGreaterThan(0);
    const before = commits;
    const path = await backUp(target);
    writing = false;
    await writer;
    expect(commits).toBeGreaterThan(before);
    const again = await database();
    await restore(path, again);
    const [row] = await query<{ tenants: number; projects: number }>(
      again,
      `select (select count(*)::int from tenants where name like 'during%') as tenants,
        (select count(*)::int from projects where name like 'during%') as projects`,
    );
    expect(row?.projects).toBe(row?.tenants);
    expect(row?.tenants).toBeGreaterThan(0);
  });

  it('encrypts, and keeps the key only where it is asked to', async () => {
    await expect(backUp(source, { secrets: SECRETS })).rejects.toThrow(/only be included in an encrypted/);
    const path = await backUp(source, { passphrase: PASSPHRASE, secrets: SECRETS, keyId: 'abc' });
    await expect(checkBackup(path, null)).rejects.toThrow(/is encrypted/);
    await expect(checkBackup(path, 'something else')).rejects.toThrow(/passphrase is wrong/);
    expect(await checkBackup(path, PASSPHRASE)).toMatchObject({ secrets: SECRETS, header: { key_id: 'abc' } });
    const target = await database();
    await restore(path, target, { passphrase: PASSPHRASE });
    expect(await readManifest(await backUp(target))).toEqual(await readManifest(written));
    expect(readFileSync(path).includes('example.org')).toBe(false);
  });

  it.each([
    { file: 'release-0.1.tar.gz', passphrase: null, key_id: null, secrets: null },
    { file: 'release-0.1.tar.gz.enc', passphrase: PASSPHRASE, key_id: 'abc', secrets: SECRETS },
  ])('restores $file, written before archives and encryption came from libraries', async (early) => {
    const path = join(import.meta.dirname, 'testing', early.file);
    const { passphrase, key_id, secrets } = early;
    expect(await checkBackup(path, passphrase)).toMatchObject({
      ...{ encrypted: passphrase !== null, secrets },
      header: { program_version: '0.1.0', key_id, includes_key: secrets !== null },
    });
    const target = await database();
    await restore(path, target, { passphrase });
    expect(await readSchema(target)).toEqual(await readSchema(source));
    expect(await query(target, 'select id, name, tenant_id from projects')).toEqual([
      {
        id: '0190a000-0000-7000-8000-000000000011',
        name: 'tab\t and é中',
        tenant_id: '0190a000-0000-7000-8000-000000000010',
      },
    ]);
    expect(await query(target, 'select name from tenants')).toEqual([{ name: 'Ada & sons' }]);
    expect(await query(target, 'select email from users')).toEqual([{ email: 'ada@example.org' }]);
    const [sequence] = (await readManifest(await backUp(target))).sequences.filter(
      ({ name }) => name === 'traffic_marks_id_seq',
    );
    expect(sequence).toMatchObject({ last_value: '4711', is_called: true });
  });

  it('brings a backup of an early release up to date', async () => {
    const old = await database('empty');
    await makeOldInstallation(old, { workloads: 100, flows: 1000 });
    const path = await backUp(old);
    await migrateDatabase(old);
    const target = await database();
    await restore(path, target);
    expect(await readSchema(target)).toEqual(await readSchema(old));
    // Since when workloads are in their projects is the time of the upgrade, which is another one; whether it is known is the same.
    for (const url of [target, old]) {
      await query(url, `update workloads set project_since = 'epoch' where project_since is not null`);
    }
    // Migrations recreate some rows (address history, policy versions, built-in roles) with new ids or at another time; the rest is
    // the same.
    const made = new Set([
      'history_start',
      'ip_address_history',
      'past_workloads',
      'policy_versions',
      'roles',
      'traffic_marks',
    ]);
    const tables = async (url: string) =>
      (await readManifest(await backUp(url))).tables.map((table) =>
        made.has(table.name) ? { name: table.name, rows: table.rows } : table,
      );
    expect(await tables(target)).toEqual(await tables(old));
  });

  it('refuses an installation in use, a database of something else, and one that is running', async () => {
    const used = await database();
    await query(used, `insert into users (id, email, password_hash) values (gen_random_uuid(), 'a@example.org', 'x')`);
    await expect(restore(written, used)).rejects.toThrow(/in use/);
    expect(await query(used, 'select email from users')).toEqual([{ email: 'a@example.org' }]);
    const running = new pg.Client({ connectionString: used, application_name: 'fabric' });
    await running.connect();
    await expect(restore(written, used, { replace: true })).rejects.toThrow(/is running on this database \(1 /);
    await running.end();
    await restore(written, used, { replace: true });
    expect(await query(used, `select count(*)::int as n from users`)).toEqual([{ n: 201 }]);
    const foreign = await database('empty');
    await query(foreign, 'create table somebody_elses (id int)');
    await expect(restore(written, foreign, { replace: true })).rejects.toThrow(/do not belong to Fabric/);
  });

  it('leaves everything as it was when rows do not fit, at whatever point that shows', async () => {
    const backup = await checkBackup(written, null);
    const target = await database();
    const before = await readManifest(await backUp(target));
    // The checks of the file are passed by: those of the database are meant.
    const spoil = (change: (text: string) => string) => {
      const bytes = gunzipSync(readFileSync(written));
      const text = bytes.toString('latin1');
      const changed = change(text);
      expect(changed).not.toBe(text);
      expect(changed.length).toBe(text.length);
      const spoilt = join(directory, `${++files}.spoilt`);
      writeFileSync(spoilt, gzipSync(Buffer.from(changed, 'latin1')));
      return spoilt;
    };
    const failing: [string, RegExp][] = [
      [spoil((text) => text.replace('user7@example.org', 'USER7@example.org')), /users_email_normal/],
      [
        spoil((text) =>
          text.replace(/([0-9a-f])(\tproject of tenant 7)/, (_, digit, rest) => `${digit === '0' ? '1' : '0'}${rest}`),
        ),
        /foreign key/,
      ],
      [spoil((text) => text.replace('user7@example.org', 'user0@example.org')), /users differs from the backup/],
    ];
    for (const [spoilt, message] of failing) {
      await expect(checkBackup(spoilt, null)).rejects.toThrow(/is damaged/);
      await expect(
        restoreBackup({ databaseUrl: target, path: spoilt, passphrase: null, backup, replace: false }),
      ).rejects.toThrow(message);
      expect(await readManifest(await backUp(target)), message.source).toEqual(before);
    }
  });

  it('refuses a file that is cut off, or of a later release', async () => {
    const bytes = readFileSync(written);
    const cut = join(directory, 'cut');
    for (const length of [3, 1000, Math.floor(bytes.length / 2), bytes.length - 10]) {
      writeFileSync(cut, bytes.subarray(0, length));
      await expect(checkBackup(cut, null)).rejects.toThrow(/cannot be read|not a Fabric backup/);
    }
    writeFileSync(cut, 'something else');
    await expect(checkBackup(cut, null)).rejects.toThrow(/not a Fabric backup/);
    const later = { ...(await checkBackup(written, null)) };
    later.header = { ...later.header, migrations: [...later.header.migrations, 9_999_999_999_999] };
    await expect(
      restoreBackup({ databaseUrl: await database(), path: written, passphrase: null, backup: later, replace: false }),
    ).rejects.toThrow(/later release/);
  });
});
