import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getTableName, isTable } from 'drizzle-orm';
import { expect, it } from 'vitest';
import * as coverage from '@/server/db/schema/coverage';
import * as flows from '@/server/db/schema/flows';
import * as traffic from '@/server/db/schema/traffic';
import { flowStore } from './flow-store';
import { postgresFlowStore } from './postgres/postgres-flow-store';

const server = fileURLToPath(new URL('../../', import.meta.url));
const tables = [flows, traffic, coverage]
  .flatMap((module) => Object.values<unknown>(module))
  .flatMap((value) => (isTable(value) ? [getTableName(value)] : []));

/** Modules that write SQL, outside the room and outside what knows all tables. */
const modules = readdirSync(server, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !/\.(test|fixture|suite)\.ts$/.test(file))
  .filter((file) => !file.startsWith('db/') && !file.startsWith('traffic/storage/'))
  .map((file) => ({ file, text: readFileSync(join(server, file), 'utf8') }))
  .filter(({ text }) => /from '(drizzle-orm|postgres)/.test(text));

it('no SQL outside the room names a table of flows', () => {
  expect(tables).toContain('traffic_flows');
  expect(tables.length).toBeGreaterThan(12);
  expect(modules.length).toBeGreaterThan(50);
  const name = new RegExp(`\\b(${tables.join('|')})\\b`);
  const found = modules.filter(({ text }) => name.test(text)).map(({ file }) => file);
  expect(found).toEqual([]);
});

it('the engine of an installation is PostgreSQL', () => {
  expect(flowStore().list).toBe(postgresFlowStore.list);
});
