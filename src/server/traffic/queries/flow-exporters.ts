import { and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import { EXPORTER_SORTS } from '@/domain/choices';
import { type CollectorStatus, FlowExporter, type FlowExporterListInput } from '@/domain/collector/exporter';
import type { Page } from '@/domain/list';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, buildSortKeys, hasName, hasText, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { clusters, nodeAgents, nodes } from '../../db/schema/clusters';
import { collectorProcesses, flowExporterStatus, flowExporters, refusedSenders } from '../../db/schema/flow-exporters';

export type ExporterRow = typeof flowExporters.$inferSelect;

/** After this time without a datagram an exporter is silent. */
const SILENT_MINUTES = 15;
/** The agent of a node counts as long as its reports can still arrive: it keeps them for a day while it cannot send. */
const AGENT_HOURS = 24;

const counted = (name: Exclude<keyof typeof flowExporterStatus.$inferSelect, 'exporter_id'>) =>
  sql<number>`coalesce(${flowExporterStatus[name]}, 0)`.mapWith(Number);

/** Whether the agent of a node may still report about a time up to now. */
const hasAgent = (now: string): SQL<boolean> =>
  sql<boolean>`coalesce(${nodeAgents.last_heartbeat_at} > ${now}::timestamptz - make_interval(hours => ${AGENT_HOURS}), false)`;

const state = (now: string): SQL<FlowExporter['state']> => sql<FlowExporter['state']>`case
  when not ${flowExporters.enabled} then 'off' when ${flowExporterStatus.last_seen_at} is null then 'waiting'
  when ${flowExporterStatus.last_seen_at} < ${now}::timestamptz - make_interval(mins => ${SILENT_MINUTES}) then 'silent'
  else 'receiving' end`;

const columns = (now: string) =>
  selectColumns(FlowExporter, flowExporters, {
    cluster_name: clusters.name,
    node_name: nodes.name,
    state: state(now),
    has_agent: hasAgent(now),
    last_seen_at: flowExporterStatus.last_seen_at,
    protocol: flowExporterStatus.protocol,
    sampling: flowExporterStatus.sampling,
    datagrams: counted('datagrams'),
    records: counted('records'),
    stored: counted('stored'),
    lost: counted('lost'),
    unknown_templates: counted('unknown_templates'),
    malformed: counted('malformed'),
    untimed: counted('untimed'),
    superseded: counted('superseded'),
    dropped: counted('dropped'),
    sampled: counted('sampled'),
    estimated: counted('estimated'),
    folded: counted('folded'),
  });

const SORTS = buildSortKeys(FlowExporter, EXPORTER_SORTS, {
  ...{ id: flowExporters.id, name: flowExporters.name, address: flowExporters.address },
  ...{ last_seen_at: flowExporterStatus.last_seen_at, updated_at: flowExporters.updated_at },
});

const select = (executor: Executor, now: string) =>
  executor
    .select(columns(now))
    .from(flowExporters)
    .innerJoin(clusters, eq(clusters.id, flowExporters.cluster_id))
    .leftJoin(nodes, eq(nodes.id, flowExporters.node_id))
    .leftJoin(nodeAgents, eq(nodeAgents.node_id, flowExporters.node_id))
    .leftJoin(flowExporterStatus, eq(flowExporterStatus.exporter_id, flowExporters.id))
    .$dynamic();

/** Exporters page by page. Two queries. */
export function listExporters(input: FlowExporterListInput, now: string): Promise<Page<FlowExporter>> {
  const where = and(
    ...buildConditions(input, flowExporters, {
      q: hasText(
        flowExporters.name,
        sql`host(${flowExporters.address})`,
        hasName(flowExporters.cluster_id, clusters),
        hasName(flowExporters.node_id, nodes),
      ),
      state: (requested) => sql`${state(now)} = ${requested}`,
    }),
  );
  const matches = db
    .select({ id: flowExporters.id })
    .from(flowExporters)
    .leftJoin(flowExporterStatus, eq(flowExporterStatus.exporter_id, flowExporters.id))
    .where(where);
  return queryPage<FlowExporter>(input, { sorts: SORTS, sort: 'name', id: flowExporters.id }, (paging) => ({
    rows: select(db, now)
      .where(and(where, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(matches.as('matches')),
  }));
}

export async function findExporter(executor: Executor, id: string, now: string): Promise<FlowExporter | null> {
  const [row] = await select(executor, now).where(eq(flowExporters.id, id));
  return row ?? null;
}

/** The stored exporter, locked until the transaction ends. What it sent is stored one part after the other. */
export async function lockExporter(tx: Tx, id: string): Promise<ExporterRow | null> {
  const [row] = await tx.select().from(flowExporters).where(eq(flowExporters.id, id)).for('update');
  return row ?? null;
}

/** Another exporter with the same value of a field that no two may share. */
export async function isTaken(
  tx: Tx,
  field: 'name' | 'address' | 'node_id',
  value: string,
  except: string,
): Promise<boolean> {
  const other = and(eq(flowExporters[field], value), sql`${flowExporters.id} <> ${except}`);
  return (await tx.$count(flowExporters, other)) > 0;
}

/** A node of a cluster, and whether its agent reports; null when the cluster has no such node. */
export async function findExporterNode(
  tx: Tx,
  { cluster_id, node_id }: { cluster_id: string; node_id: string },
  now: string,
): Promise<{ name: string; has_agent: boolean } | null> {
  const [row] = await tx
    .select({ name: nodes.name, has_agent: hasAgent(now) })
    .from(nodes)
    .leftJoin(nodeAgents, eq(nodeAgents.node_id, nodes.id))
    .where(and(eq(nodes.id, node_id), eq(nodes.cluster_id, cluster_id), isNull(nodes.missing_since)));
  return row ?? null;
}

/** Whether the agent of a node may report what an exporter reports as well. Its row is locked: its heartbeats wait. */
export async function lockNodeAgent(tx: Tx, nodeId: string, now: string): Promise<boolean> {
  const [row] = await tx
    .select({ has_agent: hasAgent(now) })
    .from(nodeAgents)
    .where(eq(nodeAgents.node_id, nodeId))
    .for('update');
  return row?.has_agent ?? false;
}

export async function insertExporter(tx: Tx, row: typeof flowExporters.$inferInsert): Promise<void> {
  await tx.insert(flowExporters).values(row);
}

export async function updateExporterRow(tx: Tx, id: string, changes: Partial<ExporterRow>): Promise<void> {
  await tx
    .update(flowExporters)
    .set({ ...changes, version: sql`${flowExporters.version} + 1`, updated_at: sql`now()` })
    .where(eq(flowExporters.id, id));
}

export async function deleteExporterRow(tx: Tx, id: string): Promise<void> {
  await tx.delete(flowExporters).where(eq(flowExporters.id, id));
}

/** An address that is listed now is not refused any more. */
export async function forgetRefusedSender(tx: Tx, address: string): Promise<void> {
  await tx.delete(refusedSenders).where(eq(refusedSenders.address, address));
}

export type AllowedExporter = Pick<ExporterRow, 'id' | 'address' | 'cluster_id' | 'node_id'>;

/** Exporters whose datagrams are read. */
export function listAllowedExporters(): Promise<AllowedExporter[]> {
  const { id, address, cluster_id, node_id } = flowExporters;
  return db.select({ id, address, cluster_id, node_id }).from(flowExporters).where(eq(flowExporters.enabled, true));
}

const COUNTERS = [
  'datagrams',
  'records',
  'stored',
  'lost',
  'unknown_templates',
  'malformed',
  'untimed',
  'superseded',
  'dropped',
  'sampled',
  'estimated',
  'folded',
] as const;
type CounterName = (typeof COUNTERS)[number];
export type NewCounters = Record<CounterName, number>;
type StatusRow = typeof flowExporterStatus.$inferSelect;

export async function findLastBatch(tx: Tx, exporterId: string): Promise<string | null> {
  const [row] = await tx
    .select({ last_batch: flowExporterStatus.last_batch })
    .from(flowExporterStatus)
    .where(eq(flowExporterStatus.exporter_id, exporterId));
  return row?.last_batch ?? null;
}

/** Adds what a part of an exporter's records brought. */
export async function addToStatus(
  tx: Tx,
  row: Pick<StatusRow, 'exporter_id' | 'last_seen_at' | 'protocol' | 'sampling' | 'last_batch'> & NewCounters,
): Promise<void> {
  const { protocol, sampling, last_batch } = row;
  const sums = COUNTERS.map((name) => [name, sql`${flowExporterStatus[name]} + ${row[name]}`] as const);
  await tx
    .insert(flowExporterStatus)
    .values(row)
    .onConflictDoUpdate({
      target: flowExporterStatus.exporter_id,
      set: {
        ...Object.fromEntries(sums),
        last_seen_at: sql`greatest(${flowExporterStatus.last_seen_at}, excluded.last_seen_at)`,
        ...(protocol !== null && { protocol }),
        ...(sampling !== null && { sampling }),
        last_batch,
      },
    });
}

/** Processes without a sign of life for so long are gone. */
const GONE_SECONDS = 60;
/** Senders that are kept, the newest. */
export const MOST_REFUSED = 100;

type ProcessRow = typeof collectorProcesses.$inferSelect;
export type NewRefusal = { address: string; datagrams: number; last_seen_at: string };

/** Writes that a collector runs, with what it counted, and who was refused. */
export async function reportCollector(row: ProcessRow, refused: readonly NewRefusal[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.insert(collectorProcesses).values(row).onConflictDoUpdate({ target: collectorProcesses.id, set: row });
    await tx.execute(sql`delete from ${collectorProcesses}
      where ${collectorProcesses.seen_at} < ${row.seen_at}::timestamptz - make_interval(secs => ${GONE_SECONDS})`);
    // In one order, so that two collectors do not wait for each other.
    for (const sender of refused.toSorted((a, b) => (a.address < b.address ? -1 : 1))) {
      const { address, datagrams, last_seen_at } = sender;
      await tx
        .insert(refusedSenders)
        .values({ address, datagrams, first_seen_at: last_seen_at, last_seen_at })
        .onConflictDoUpdate({
          target: refusedSenders.address,
          set: { datagrams: sql`${refusedSenders.datagrams} + ${datagrams}`, last_seen_at },
        });
    }
    if (refused.length === 0) return;
    const newest = tx
      .select({ address: refusedSenders.address })
      .from(refusedSenders)
      .orderBy(sql`${refusedSenders.last_seen_at} desc`, refusedSenders.address)
      .limit(MOST_REFUSED);
    await tx.delete(refusedSenders).where(sql`not ${inArray(refusedSenders.address, newest)}`);
  });
}

export async function deleteCollector(id: string): Promise<void> {
  await db.delete(collectorProcesses).where(eq(collectorProcesses.id, id));
}

/** Processes that run, and senders that were refused and are not listed now. Two queries. */
export async function readCollector(now: string): Promise<CollectorStatus> {
  const [processes, refused_senders] = await Promise.all([
    db
      .select()
      .from(collectorProcesses)
      .where(sql`${collectorProcesses.seen_at} >= ${now}::timestamptz - make_interval(secs => ${GONE_SECONDS})`)
      .orderBy(collectorProcesses.listens, collectorProcesses.id),
    db
      .select()
      .from(refusedSenders)
      .where(sql`not exists (select from ${flowExporters} where ${flowExporters.address} = ${refusedSenders.address})`)
      .orderBy(sql`${refusedSenders.last_seen_at} desc`, refusedSenders.address),
  ]);
  return { processes, refused_senders };
}

export type ExporterTotals = { states: { state: FlowExporter['state']; exporters: number }[]; counted: NewCounters };

/** How many exporters are in each state, and what all of them have sent. Two queries. */
export async function countExporters(now: string): Promise<ExporterTotals> {
  const [states, [sums]] = await Promise.all([
    db
      .select({ state: state(now), exporters: sql<number>`count(*)::int` })
      .from(flowExporters)
      .leftJoin(flowExporterStatus, eq(flowExporterStatus.exporter_id, flowExporters.id))
      .groupBy(sql`1`),
    db
      .select(
        Object.fromEntries(
          COUNTERS.map((name) => [name, sql<number>`coalesce(sum(${flowExporterStatus[name]}), 0)::float8`]),
        ) as Record<CounterName, SQL<number>>,
      )
      .from(flowExporterStatus),
  ]);
  if (!sums) throw new Error('expected one row of totals');
  return { states, counted: sums };
}
