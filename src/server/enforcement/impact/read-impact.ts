import { IMPACT_OUTCOMES } from '@/domain/choices';
import type { Impact, ImpactConversationInput, ImpactConversationPage } from '@/domain/impact/impact';
import type { ImpactChange, ImpactFindings, ImpactReader } from '@/domain/impact/stored-impact';
import { isWithinReach, type Owned } from '@/domain/permissions';
import { db } from '../../db/client';
import { notFound } from '../../lib/refusals';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { findImpact, type ImpactRow, listConversations } from '../queries/impacts';
import { sha256 } from './hashes';
import { liveHash } from './live-hash';
import { planImpact } from './plan-impact';
import { hashVisibleState } from './shown-hash';

/** Conversations that come with the impact itself. */
const FIRST = 100;

/** Before anything is computed. */
export const NOTHING_FOUND: ImpactFindings = {
  live_read_at: null,
  difference: [],
  difference_left_out: 0,
  workloads_total: 0,
  confidence: null,
  traffic_visible: false,
  tests: [],
  hidden_failing_tests: 0,
  own_connections: [],
};

const NO_TOTALS = Object.fromEntries(IMPACT_OUTCOMES.map((outcome) => [outcome, 0])) as Impact['totals'];

const READS = ['policies', 'tests', 'flows'] as const;
export const isSameReader = (a: ImpactReader, b: ImpactReader): boolean => sha256(a) === sha256(b);

/** Whether the reader sees everything that the one saw for whom it was computed. */
export const seesAll = (reader: ImpactReader, owner: ImpactReader): boolean =>
  READS.every((what) => {
    const [own, asked] = [reader[what], owner[what]];
    return asked === null || own === 'all' || (own !== null && sha256(own) === sha256(asked));
  });

/** Whose policies and groups are changed. One that is visible makes the impact visible. */
const listSubjects = (change: ImpactChange): readonly Owned[] => ('items' in change ? change.items : [change.policy]);

/** An impact that shows nothing that the reader may not see. @throws AppError `not_found` */
export async function findVisibleImpact(reader: ImpactReader, id: string): Promise<ImpactRow> {
  const row = await findImpact(db, id);
  if (
    !row ||
    !seesAll(reader, row.reader) ||
    !listSubjects(row.change).some((one) => isWithinReach(one, reader.policies))
  )
    throw notFound('impact');
  return row;
}

/** Whether what the change concerns was read differently since, or the change would leave something else. */
export const isOutdated = async (row: ImpactRow, firewall: FirewallState): Promise<boolean> =>
  liveHash(await planImpact(firewall, row.change)) !== row.live_hash;

/** The same as far as its reader may know it. */
const isShownOutdated = async ({ change, reader, shown_hash }: ImpactRow, firewall: FirewallState): Promise<boolean> =>
  hashVisibleState(await planImpact(firewall, change), reader.policies) !== shown_hash;

/** One impact with the first of its conversations; while it is computed, what was found so far. @throws AppError `not_found` */
export async function readImpact(reader: ImpactReader, id: string): Promise<Impact> {
  const row = await findVisibleImpact(reader, id);
  return {
    id,
    status: row.status === 'queued' ? 'running' : row.status,
    progress: row.progress,
    error: row.message,
    policy_id: row.policy_id,
    change_id: row.change_id,
    policy_name: row.policy_name,
    window: { since: row.since, until: row.until, source: row.source },
    outdated: await isShownOutdated(row, await readFirewallState()),
    totals: row.totals ?? NO_TOTALS,
    conversations: await listConversations(id, { limit: FIRST }),
    ...NOTHING_FOUND,
    ...row.findings,
    created_at: row.created_at,
    finished_at: row.finished_at,
  };
}

/** Conversations of an impact, the most harmful first. @throws AppError `not_found` */
export async function readImpactConversations(
  reader: ImpactReader,
  id: string,
  input: ImpactConversationInput,
): Promise<ImpactConversationPage> {
  await findVisibleImpact(reader, id);
  return listConversations(id, input);
}
