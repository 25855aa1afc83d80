import type { Client } from 'pg';
import type { MigrationStep } from '../db/migrate';
import { quote } from './tables';

const queryNames = async (client: Client, text: string): Promise<string[]> =>
  (await client.query<{ name: string }>(text)).rows.map(({ name }) => name);

/** Removes everything of an installation, its queues included; extensions and what belongs to them stay. */
export async function dropInstallation(client: Client): Promise<void> {
  const ours = (alias: string) =>
    `not exists (select 1 from pg_depend d where d.objid = ${alias}.oid and d.deptype = 'e')`;
  const tables = await queryNames(
    client,
    `select relname as name from pg_class c
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and ${ours('c')}`,
  );
  if (tables.length > 0) await client.query(`drop table ${tables.map(quote).join(', ')} cascade`);
  const routines = await queryNames(
    client,
    `select oid::regprocedure::text as name from pg_proc p
     where pronamespace = 'public'::regnamespace and prokind in ('f', 'p') and ${ours('p')}`,
  );
  for (const routine of routines) await client.query(`drop routine ${routine} cascade`);
  const types = await queryNames(
    client,
    `select typname as name from pg_type t
     where typnamespace = 'public'::regnamespace and typtype in ('e', 'd') and ${ours('t')}`,
  );
  for (const type of types) await client.query(`drop type ${quote(type)} cascade`);
  await client.query('drop schema if exists drizzle cascade');
  await client.query('drop schema if exists as_of cascade');
  await client.query('drop schema if exists bullmq cascade');
}

/** Applies migrations inside the transaction that is open, and notes them where the program looks for them. */
export async function applyMigrationSteps(client: Client, steps: readonly MigrationStep[]): Promise<void> {
  await client.query('create schema if not exists drizzle');
  await client.query(
    'create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)',
  );
  for (const { at, hash, statements } of steps) {
    for (const statement of statements) await client.query(statement);
    await client.query('insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)', [hash, at]);
  }
}

/**
 * Takes off what would check, change or slow down rows that are loaded: foreign keys, triggers, and indexes that are no
 * constraint.
 * @returns puts all of it back, which checks the foreign keys over everything
 */
export async function stripTables(client: Client): Promise<() => Promise<void>> {
  const { rows: keys } = await client.query<{ name: string; relation: string; definition: string }>(`
    select conname as name, conrelid::regclass::text as relation, pg_get_constraintdef(oid) as definition
    from pg_constraint where connamespace = 'public'::regnamespace and contype = 'f' and conparentid = 0
    order by conrelid::regclass::text, conname`);
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid)
    order by 1`);
  const triggered = await queryNames(
    client,
    `select distinct tgrelid::regclass::text as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where c.relnamespace = 'public'::regnamespace and not tgisinternal order by 1`,
  );
  for (const { name, relation } of keys) await client.query(`alter table ${relation} drop constraint ${quote(name)}`);
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  for (const relation of triggered) await client.query(`alter table ${relation} disable trigger user`);
  return async () => {
    for (const relation of triggered) await client.query(`alter table ${relation} enable trigger user`);
    for (const { definition } of indexes) await client.query(definition);
    for (const { name, relation, definition } of keys) {
      await client.query(`alter table ${relation} add constraint ${quote(name)} ${definition}`);
    }
  };
}
