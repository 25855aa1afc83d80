import type { ChangeWatch, WatchedConversation } from '@/domain/change/watch';
import type { Reach } from '@/domain/permissions';
import { db } from '../../../db/client';
import { notFound } from '../../../lib/refusals';
import { findVisibleWorkloads } from '../../../traffic/queries/flow-reach';
import { flowStore } from '../../../traffic/storage/flow-store';
import { listChangeWorkloads } from '../../queries/change-rollouts';
import { findChange } from '../../queries/changes';
import { type CheckReader, readChecks } from './read-checks';

/** How long before a change was applied conversations count as those that existed. */
const BEFORE_MS = 3_600_000;

/** Where the reader may see what; null: nothing. */
export type WatchReader = CheckReader & { readonly flows: Reach | null };

async function readConversations(
  reach: Reach,
  { applied_at, written_at }: { applied_at: string; written_at: string },
  touched: readonly string[],
): Promise<ChangeWatch['conversations']> {
  const since = new Date(Date.parse(applied_at) - BEFORE_MS).toISOString();
  const { visible, periods } = await findVisibleWorkloads(reach, since);
  const isVisible = (id: string) => visible === 'all' || visible.includes(id);
  const workload_ids = touched.filter(isVisible);
  if (workload_ids.length === 0) return null;
  const { listed, ...counts } = await flowStore().watch({ workload_ids, periods, since, applied_at, written_at });
  const { opened_anew, on_old_entries, dropped, silent } = counts;
  const toEnd = (id: string | null, address: string) => ({ workload_id: id && isVisible(id) ? id : null, address });
  return {
    ...counts,
    watched: opened_anew + on_old_entries + dropped + silent,
    listed: listed.map(
      (row): WatchedConversation => ({
        ...{ reason: row.reason, protocol: row.protocol, port: row.port, last_seen_at: row.seen_at },
        client: toEnd(row.client_id, row.client_ip),
        server: toEnd(row.server_id, row.server_ip),
      }),
    ),
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
  const times = { applied_at, written_at: written_at ?? applied_at };
  return {
    ...own,
    checks: await readChecks(db, times, touched, reader),
    conversations: reader.flows === null ? null : await readConversations(reader.flows, times, touched),
  };
}
