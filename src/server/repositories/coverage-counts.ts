import { sql } from 'drizzle-orm';
import type { CoverageMode } from '@/domain/coverage';
import type { Tx } from '../db/client';
import { ruleHits, workloadCoverage } from '../db/schema/coverage';
import { rowsOfArrays } from './rows-of-arrays';

export type RuleHitRow = {
  day: string;
  policy_id: string;
  workload_id: string;
  rule_hash: string;
  mode: CoverageMode;
  policy_version: number;
  rule_position: number | null;
  hits: number;
  last_hit_at: string;
};

export type WorkloadCoverageRow = typeof workloadCoverage.$inferSelect;

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

const list = (columns: object) => sql.raw(Object.keys(columns).join(', '));

/** Adds hits to the days of rules. The rows must be sorted by key: otherwise two writers could wait for each other. */
export async function addRuleHits(tx: Tx, rows: readonly RuleHitRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`
    insert into ${ruleHits} as t (${list(HITS)})
    select h.* from ${rowsOfArrays(HITS, 'rule_hash', rows)} as h
    on conflict (policy_id, day, workload_id, rule_hash, mode) do update set
      hits = t.hits + excluded.hits, last_hit_at = greatest(t.last_hit_at, excluded.last_hit_at),
      policy_version = case when excluded.rule_position is null then t.policy_version else excluded.policy_version end,
      rule_position = coalesce(excluded.rule_position, t.rule_position)`);
}

/** Adds to the days of guests. The rows must be sorted by key. */
export async function addWorkloadCoverage(tx: Tx, rows: readonly WorkloadCoverageRow[]): Promise<void> {
  if (rows.length === 0) return;
  const added = sql.raw(COUNTS.map((name) => `${name} = t.${name} + excluded.${name}`).join(', '));
  await tx.execute(sql`
    insert into ${workloadCoverage} as t (${list(COVERAGE)})
    select c.* from ${rowsOfArrays(COVERAGE, 'workload_id', rows)} as c
    on conflict (workload_id, day) do update set
      ${added}, last_flow_at = greatest(t.last_flow_at, excluded.last_flow_at)`);
}
