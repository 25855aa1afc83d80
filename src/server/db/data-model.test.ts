import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { expect, it } from 'vitest';

const document = fileURLToPath(new URL('../../../docs/data-model.md', import.meta.url));

async function readTables(): Promise<PgTable[]> {
  const folder = new URL('./schema/', import.meta.url);
  // By its whole path: what Vite makes of a pattern is kept with the files of then, and a new one is unknown to it.
  const load = (file: string): Promise<Record<string, unknown>> =>
    import(/* @vite-ignore */ fileURLToPath(new URL(file, folder)));
  const modules = await Promise.all(readdirSync(folder).map(load));
  return modules.flatMap((module) => Object.values(module)).filter((value) => value instanceof PgTable);
}

/** Lines of the picture for a table: its box, and a line from each table that it refers to. */
function toDiagramLines(table: PgTable): string[] {
  const { name, columns, primaryKeys, foreignKeys } = getTableConfig(table);
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
  const relations = foreignKeys.map((foreignKey) => {
    const { columns: own, foreignTable } = foreignKey.reference();
    const parent = own.every(({ notNull }) => notNull) ? '||' : '|o';
    const isOnly = own.length === key.length && own.every((column) => key.includes(column));
    return `${getTableConfig(foreignTable).name} ${parent}--${isOnly ? 'o|' : 'o{'} ${name} : "${own.map((column) => column.name).join(' ')}"`;
  });
  return [name, ...relations];
}

it('docs/data-model.md draws every table and every reference', async () => {
  const [, picture = ''] = /```mermaid\nerDiagram\n(.*?)```/s.exec(readFileSync(document, 'utf8')) ?? [];
  const drawn = picture
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('%%'));
  const expected = (await readTables()).flatMap(toDiagramLines);
  expect(drawn.toSorted()).toEqual(expected.toSorted());
});
