import { and, asc, desc, eq, gt, gte, inArray, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { type AuditListInput, AuditRecord } from '@/domain/audit';
import type { Page } from '@/domain/list';
import type { TenantReach } from '@/domain/permissions';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, selectColumns } from '../../db/declared-fields';
import { auditCheckpoints, auditRecords } from '../../db/schema/operations';
import { AppError } from '../../lib/errors';

export type StoredAuditRecord = Required<typeof auditRecords.$inferSelect>;

// An arbitrary constant that names the chain among the database's advisory locks.
const CHAIN_LOCK = 0x0fab_a0d1;

/** Makes this transaction the only writer of the chain until it ends; returns the last record, null when there is none. */
export async function lockAuditChain(tx: Tx): Promise<{ seq: number; hash: string } | null> {
  await tx.execute(sql`select pg_advisory_xact_lock(${CHAIN_LOCK})`);
  return lastAuditRecord(tx);
}

/** The newest record's place in the chain. */
export async function lastAuditRecord(executor: Executor): Promise<{ seq: number; hash: string } | null> {
  const [last] = await executor
    .select({ seq: auditRecords.seq, hash: auditRecords.hash })
    .from(auditRecords)
    .orderBy(desc(auditRecords.seq))
    .limit(1);
  return last ?? null;
}

export async function insertAuditRecord(tx: Tx, record: typeof auditRecords.$inferInsert): Promise<void> {
  await tx.insert(auditRecords).values(record);
}

/** Up to `limit` records after `seq`, in the order of the chain. */
export async function readAuditChain(
  executor: Executor,
  afterSeq: number,
  limit: number,
): Promise<StoredAuditRecord[]> {
  return executor
    .select()
    .from(auditRecords)
    .where(gt(auditRecords.seq, afterSeq))
    .orderBy(asc(auditRecords.seq))
    .limit(limit);
}

export type AuditCheckpoint = typeof auditCheckpoints.$inferSelect;

/** Where the trail was cut last; null while it is whole. */
export async function lastAuditCheckpoint(executor: Executor): Promise<AuditCheckpoint | null> {
  const [row] = await executor.select().from(auditCheckpoints).orderBy(desc(auditCheckpoints.seq)).limit(1);
  return row ?? null;
}

/**
 * The last of the oldest records that are all from before `cutoff`, at most `limit` of them and never the newest of the
 * trail, which the next one continues; null when there is none.
 */
export async function findAuditCut(
  tx: Tx,
  cutoff: string,
  limit: number,
): Promise<{ seq: number; hash: string; records: number } | null> {
  const [cut] = await tx.execute<{ seq: string; hash: string; records: number }>(sql`
    with bounds as (
      select (select seq from ${auditRecords} order by seq limit 1) as first,
        (select seq from ${auditRecords} where at >= ${cutoff}::timestamptz order by seq limit 1) as kept,
        (select seq from ${auditRecords} order by seq desc limit 1) as newest)
    select r.seq, r.hash, (r.seq - b.first + 1)::int as records from bounds as b
    join ${auditRecords} as r on r.seq = least(coalesce(b.kept, b.newest), b.newest, b.first + ${limit}) - 1
    where r.seq >= b.first`);
  return cut ? { ...cut, seq: Number(cut.seq) } : null;
}

/** Removes the oldest records up to a checkpoint, which must be stored before. @returns how many */
export async function cutAuditTrail(tx: Tx, checkpoint: typeof auditCheckpoints.$inferInsert): Promise<number> {
  await tx.insert(auditCheckpoints).values(checkpoint);
  const { count: removed } = await tx.delete(auditRecords).where(lte(auditRecords.seq, checkpoint.seq));
  return removed;
}

const visible = (tenants: TenantReach): SQL | undefined =>
  tenants === 'all' ? undefined : inArray(auditRecords.tenant_id, [...tenants]);

const columns = selectColumns(AuditRecord, auditRecords, {});

/** A record as it is shown; the place in the chain is for those who see all of it. */
const redactChainFields = (record: AuditRecord, tenants: TenantReach): AuditRecord =>
  tenants === 'all' ? record : { ...record, seq: null, previous_hash: null, hash: null };

/** One record, when the tenants include it. */
export async function findAuditRecord(tenants: TenantReach, id: string): Promise<AuditRecord | null> {
  const [row] = await db
    .select(columns)
    .from(auditRecords)
    .where(and(visible(tenants), eq(auditRecords.id, id)));
  return row ? redactChainFields(row, tenants) : null;
}

/** Records after a place in the chain that the tenants include, in its order, with their places. */
export async function listAuditRecordsAfter(
  tenants: TenantReach,
  afterSeq: number,
  limit: number,
): Promise<{ seq: number; record: AuditRecord }[]> {
  const rows = await db
    .select(columns)
    .from(auditRecords)
    .where(and(visible(tenants), gt(auditRecords.seq, afterSeq)))
    .orderBy(asc(auditRecords.seq))
    .limit(limit);
  return rows.map((row) => ({ seq: row.seq, record: redactChainFields(row, tenants) }));
}

/** How many records after a place in the chain the tenants include. */
export const countAuditRecordsAfter = (tenants: TenantReach, afterSeq: number): Promise<number> =>
  db.$count(auditRecords, and(visible(tenants), gt(auditRecords.seq, afterSeq)));

/** The place of the oldest record that is left; null when there is none. */
export async function firstAuditSeq(executor: Executor): Promise<number | null> {
  const [first] = await executor
    .select({ seq: auditRecords.seq })
    .from(auditRecords)
    .orderBy(asc(auditRecords.seq))
    .limit(1);
  return first?.seq ?? null;
}

/** The records about one object that the tenants include, oldest first. */
export async function listObjectRecords(
  tenants: TenantReach,
  objectKind: string,
  objectId: string,
): Promise<Pick<AuditRecord, 'id' | 'seq' | 'at' | 'action' | 'actor_name' | 'hash'>[]> {
  const rows = await db
    .select(columns)
    .from(auditRecords)
    .where(and(visible(tenants), eq(auditRecords.object_kind, objectKind), eq(auditRecords.object_id, objectId)))
    .orderBy(auditRecords.seq);
  return rows
    .map((row) => redactChainFields(row, tenants))
    .map(({ id, seq, at, action, actor_name, hash }) => ({ id, seq, at, action, actor_name, hash }));
}

function filters(input: AuditListInput): (SQL | undefined)[] {
  const contains = (q: string) =>
    [auditRecords.action, auditRecords.actor_name, auditRecords.object_name, auditRecords.object_id].map(
      (column) => sql`strpos(lower(${column}), lower(${q})) > 0`,
    );
  return buildConditions(input, auditRecords, {
    q: (text) => or(...contains(text)),
    action: (action) =>
      action.endsWith('.*')
        ? sql`starts_with(${auditRecords.action}, ${action.slice(0, -1)})`
        : eq(auditRecords.action, action),
    since: (at) => gte(auditRecords.at, at),
    until: (at) => lt(auditRecords.at, at),
  });
}

/**
 * The position of the cursor's record in the chain.
 * @throws AppError `malformed`, also when the record has been removed
 */
async function findCursorSeq(cursor: string, tenants: TenantReach): Promise<number> {
  const id = /^r(.*)$/.exec(cursor)?.[1];
  const [row] = z.uuid().safeParse(id).success
    ? await db
        .select({ seq: auditRecords.seq })
        .from(auditRecords)
        .where(and(visible(tenants), eq(auditRecords.id, id ?? '')))
    : [];
  if (!row) {
    throw new AppError(
      'malformed',
      'The cursor is not from this list, or its record was removed. Start again without a cursor.',
      {
        errors: [{ field: 'cursor', message: 'Use next_cursor of the previous page, unchanged.' }],
      },
    );
  }
  return row.seq;
}

/** One page of the trail, the newest first unless sorted by `at`. Counting all of them is left out for an export. */
export async function listAuditRecords(
  tenants: TenantReach,
  input: AuditListInput,
  counted = true,
): Promise<Page<AuditRecord>> {
  const ascending = input.sort === 'at';
  const where = and(visible(tenants), ...filters(input));
  const after = input.cursor === undefined ? undefined : await findCursorSeq(input.cursor, tenants);
  const beyond =
    after === undefined ? undefined : ascending ? gt(auditRecords.seq, after) : lt(auditRecords.seq, after);
  const [rows, total] = await Promise.all([
    db
      .select(columns)
      .from(auditRecords)
      .where(and(where, beyond))
      .orderBy(ascending ? asc(auditRecords.seq) : desc(auditRecords.seq))
      .limit(input.limit + 1),
    counted ? db.$count(auditRecords, where) : 0,
  ]);
  const items = rows.slice(0, input.limit).map((row) => redactChainFields(row, tenants));
  const last = items.at(-1);
  return { items, next_cursor: rows.length > input.limit && last ? `r${last.id}` : null, total };
}
