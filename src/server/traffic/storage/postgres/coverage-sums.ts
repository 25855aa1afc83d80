import { eq, inArray, sql } from 'drizzle-orm';
import { db, type Tx } from '../../../db/client';
import { nodeAgents } from '../../../db/schema/clusters';
import { coverageMarks, ruleHits, workloadCoverage } from '../../../db/schema/coverage';
import { workloads } from '../../../db/schema/workloads';
import { unnestRows } from '../../../db/unnest-rows';
import type {
  CountedFlow,
  CountedSpan,
  CoverageMark,
  NewHits,
  RuleHitRow,
  WorkloadCoverageRow,
} from '../coverage-rows';

const HITS = {
  day: 'date',
  policy_id: 'uuid',
  workload_id: 'uuid',
  rule_hash: 'text',
  mode: 'text',
  policy_version: 'int',
  rule_position: 'int',
  hits: 'bigint',
  last_hit_at: 'timestamptz',
} as const satisfies Record<keyof RuleHitRow, string>;

const COUNTS = ['flows', 'by_policy', 'by_other_rule', 'by_audit', 'by_default', 'observed', 'conflicts'] as const;

const COVERAGE = {
  day: 'date',
  workload_id: 'uuid',
  flows: 'bigint',
  by_policy: 'bigint',
  by_other_rule: 'bigint',
  by_audit: 'bigint',
  by_default: 'bigint',
  observed: 'bigint',
  conflicts: 'bigint',
  last_flow_at: 'timestamptz',
} as const satisfies Record<keyof WorkloadCoverageRow, string>;

const toColumnList = (columns: object) => sql.raw(Object.keys(columns).join(', '));

/** Adds hits to the days of rules. The rows must be sorted by key: otherwise two writers could wait for each other. */
async function addRuleHits(tx: Tx, rows: readonly RuleHitRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`
    insert into ${ruleHits} as t (${toColumnList(HITS)})
    select h.* from ${unnestRows(HITS, 'rule_hash', rows)} as h
    on conflict (policy_id, day, workload_id, rule_hash, mode) do update set
      hits = t.hits + excluded.hits, last_hit_at = greatest(t.last_hit_at, excluded.last_hit_at),
      policy_version = case when excluded.rule_position is null then t.policy_version else excluded.policy_version end,
      rule_position = coalesce(excluded.rule_position, t.rule_position)`);
}

/** Adds to the days of guests. The rows must be sorted by key. */
async function addWorkloadCoverage(tx: Tx, rows: readonly WorkloadCoverageRow[]): Promise<void> {
  if (rows.length === 0) return;
  const added = sql.raw(COUNTS.map((name) => `${name} = t.${name} + excluded.${name}`).join(', '));
  await tx.execute(sql`
    insert into ${workloadCoverage} as t (${toColumnList(COVERAGE)})
    select c.* from ${unnestRows(COVERAGE, 'workload_id', rows)} as c
    on conflict (workload_id, day) do update set
      ${added}, last_flow_at = greatest(t.last_flow_at, excluded.last_flow_at)`);
}

const at = (name: string) =>
  sql.raw(`to_char(t.${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${name}`);

/**
 * Flows of a node with a known guest at an end, a batch at a time, whatever their number; those that a log line decided
 * come first. Run it to its end inside one transaction.
 */
export async function* readCountedFlows(tx: Tx, span: CountedSpan, batch = 5_000): AsyncGenerator<CountedFlow[]> {
  const { node_id, from, until, updated_from, observed_from } = span;
  await tx.execute(sql`
    declare counted_flows no scroll cursor for
    select host(t.source_ip) as source_ip, host(t.destination_ip) as destination_ip, t.protocol, t.source_port,
      t.destination_port, t.decision, t.state, t.raw ->> 'translated_source' as translated_source,
      t.raw ->> 'translated_destination' as translated_destination,
      coalesce(t.raw ? 'first_seen_at', false) as start_known, t.initiator, t.icmp_type, t.icmp_code, t.nic, t.workload_id, t.source_workload_id,
      t.destination_workload_id, ${at('first_seen_at')}, ${at('observed_at')},
      t.created_at >= ${from}::timestamptz as began
    from traffic_flows as t
    where t.node_id = ${node_id}::uuid and t.observed_at >= ${observed_from}::timestamptz
      and t.created_at < ${until}::timestamptz and t.updated_at >= ${updated_from ?? from}::timestamptz
      ${updated_from === null ? sql`and t.created_at >= ${from}::timestamptz` : sql``}
      and (t.source_workload_id is not null or t.destination_workload_id is not null)
    order by t.decision = 'observed'`);
  for (;;) {
    const rows = await tx.execute<CountedFlow>(sql`fetch ${sql.raw(String(batch))} from counted_flows`);
    if (rows.length > 0) yield [...rows];
    if (rows.length < batch) break;
  }
  await tx.execute(sql`close counted_flows`);
}

/** The mark of a node, created when missing, and locked: concurrent counts of the same node wait. */
export async function lockCoverageMark(tx: Tx, nodeId: string, since: string): Promise<CoverageMark> {
  await tx.insert(coverageMarks).values({ node_id: nodeId, since, until: since }).onConflictDoNothing();
  const [mark] = await tx.select().from(coverageMarks).where(eq(coverageMarks.node_id, nodeId)).for('update');
  if (!mark) throw new Error('expected the stored mark to exist');
  return mark;
}

export async function findCoverageMark(tx: Tx, nodeId: string): Promise<CoverageMark | null> {
  const [mark] = await tx.select().from(coverageMarks).where(eq(coverageMarks.node_id, nodeId));
  return mark ?? null;
}

/** Adds what a count found. */
export async function addHits(tx: Tx, nodeId: string, hits: NewHits): Promise<void> {
  await addRuleHits(tx, hits.rules);
  await addWorkloadCoverage(tx, hits.workloads);
  await tx.update(coverageMarks).set({ until: hits.until }).where(eq(coverageMarks.node_id, nodeId));
}

/** Marks of the nodes on which these guests are, as far as an agent reports there. */
export async function findGuestMarks(
  workloadIds: readonly string[],
): Promise<Map<string, Pick<CoverageMark, 'since' | 'until'>>> {
  if (workloadIds.length === 0) return new Map();
  const rows = await db
    .select({ workload_id: workloads.id, since: coverageMarks.since, until: coverageMarks.until })
    .from(workloads)
    .innerJoin(nodeAgents, eq(nodeAgents.node_id, workloads.node_id))
    .innerJoin(coverageMarks, eq(coverageMarks.node_id, workloads.node_id))
    .where(sql`${inArray(workloads.id, [...workloadIds])} and ${nodeAgents.status} in ('ok', 'degraded')`);
  return new Map(rows.map(({ workload_id, ...mark }) => [workload_id, mark]));
}
