import type { StoredRollout } from '@/domain/change/rollout';
import type { ChangeWatch, WatchedConversation } from '@/domain/change/watch';
import type { Reach } from '@/domain/permissions';
import { db } from '../../../db/client';
import { notFound } from '../../../lib/refusals';
import { findVisibleWorkloads } from '../../../traffic/queries/flow-reach';
import type { WatchedFlows } from '../../../traffic/storage/flow-selection';
import { flowStore } from '../../../traffic/storage/flow-store';
import { readFirewallState } from '../../policies/firewall-state/read-firewall-state';
import { listChangeGuests, listChangeWorkloads } from '../../queries/change-rollouts';
import { findChange } from '../../queries/changes';
import { findOwnDrops } from './find-own-drops';
import { type CheckReader, readChecks } from './read-checks';

/** How long before a change was applied conversations count as those that existed. */
const BEFORE_MS = 3_600_000;
const MAX_LISTED = 20;
const LISTED_FIRST: readonly WatchedConversation['reason'][] = ['dropped', 'new_drop', 'silent'];

/** Where the reader may see what; null: nothing. */
export type WatchReader = CheckReader & { readonly flows: Reach | null };

/** Workloads that were written, and when the last write of them ended. */
type Written = { readonly written_at: string; readonly ids: readonly string[] };

/** Of a change that is still being written: as far as it is; null: nothing is written yet. */
async function readLastWrite(id: string): Promise<Written | null> {
  const ended = (await listChangeGuests(db, id)).flatMap(({ wave, workload_id, finished_at }) =>
    (wave ?? 0) > 0 && finished_at !== null ? [{ workload_id, at: Date.parse(finished_at) }] : [],
  );
  if (ended.length === 0) return null;
  const written_at = new Date(Math.max(...ended.map(({ at }) => at))).toISOString();
  return { written_at, ids: [...new Set(ended.map(({ workload_id }) => workload_id))] };
}

type Row = WatchedFlows['listed'][number];

async function readConversations(
  reach: Reach,
  { applied_at, rollout }: { readonly applied_at: string; readonly rollout: StoredRollout | null },
  { written_at, ids }: Written,
): Promise<ChangeWatch['conversations']> {
  const since = new Date(Date.parse(applied_at) - BEFORE_MS).toISOString();
  const { visible, periods } = await findVisibleWorkloads(reach, since);
  const isVisible = (id: string) => visible === 'all' || visible.includes(id);
  const workload_ids = ids.filter(isVisible);
  if (workload_ids.length === 0) return null;
  const found = await flowStore().watch({ workload_ids, periods, since, applied_at, written_at });
  const { opened_anew, on_old_entries, dropped, silent } = found;
  const drops = found.listed.filter(({ reason }) => reason === 'new_drop');
  const others = found.listed.filter(({ reason }) => reason !== 'new_drop');
  const own = drops.length > 0 ? findOwnDrops(await readFirewallState(), rollout?.policies ?? [], drops) : [];
  const toEnd = (id: string | null, address: string) => ({ workload_id: id && isVisible(id) ? id : null, address });
  const toWatched = (row: Row): WatchedConversation => ({
    ...{ reason: row.reason, protocol: row.protocol, port: row.port, last_seen_at: row.seen_at },
    client: toEnd(row.client_id, row.client_ip),
    server: toEnd(row.server_id, row.server_ip),
  });
  const rank = (row: Row) => LISTED_FIRST.indexOf(row.reason);
  return {
    ...{ opened_anew, on_old_entries, dropped, silent },
    watched: opened_anew + on_old_entries + dropped + silent,
    new_drops: own.length,
    listed: [...others, ...own]
      .sort((x, y) => rank(x) - rank(y))
      .slice(0, MAX_LISTED)
      .map(toWatched),
  };
}

/**
 * What is observed since a change was written: tests and protected connections on the live rules, agents, and conversations that
 * existed before. @throws AppError `not_found`
 */
export async function readWatch(
  scope: { readonly reach: Reach },
  id: string,
  reader: WatchReader,
): Promise<ChangeWatch> {
  const change = await findChange(db, scope.reach, id);
  if (!change) throw notFound('change');
  const { written_at, applied_at, confirm_until, rollback_on_failed_check } = change;
  const own = { written_at, confirm_until, rollback_on_failed_check };
  if (applied_at === null) return { ...own, checks: [], conversations: null };
  const touched = (await listChangeWorkloads(db, id)).map(({ workload_id }) => workload_id);
  const written = written_at === null ? await readLastWrite(id) : { written_at, ids: touched };
  return {
    ...own,
    checks: await readChecks(db, { applied_at }, touched, reader),
    conversations:
      reader.flows && written && (await readConversations(reader.flows, { ...change, applied_at }, written)),
  };
}
