import type { sqlClient } from '@/server/db/client';
import type { Answer } from './inputs.fixture';
import { THEIR_MARK } from './two-tenants.fixture';

/** What an answer reveals about the other tenant: names, addresses and ids of theirs. */
export function findTraces({ text }: Answer, theirIds: readonly string[]): string[] {
  const marks = text.match(new RegExp(`${THEIR_MARK}[\\w.-]*|10\\.66\\.\\d+\\.\\d+`, 'g')) ?? [];
  return [...marks, ...theirIds.filter((id) => text.includes(id))];
}

/** Every row of every table that has to do with the other tenant. @param session their first sign-in */
export async function listTraceRows(
  sql: ReturnType<typeof sqlClient>,
  theirIds: readonly string[],
  session: string,
): Promise<string[]> {
  const pattern = [...theirIds, THEIR_MARK].join('|');
  const tables = await sql<{ name: string }[]>`select quote_ident(tablename) as name from pg_tables
    where schemaname = 'public' and tablename <> 'rate_limits'`;
  const rows = await sql.unsafe<{ row: string }[]>(
    tables
      .map(({ name }) => `select '${name} ' || t::text as row from ${name} t where t::text ~ '${pattern}'`)
      .join(' union all '),
  );
  const all = rows.map(({ row }) => row).sort();
  // They keep signing in during the test; their first sign-in shows whether their sessions can be ended.
  return all.filter((row) => !row.startsWith('refresh_tokens ') || row.includes(session));
}
