import type { IncidentChange } from '@/domain/notifications/advance-incidents';
import type { Condition, Fact } from '@/domain/notifications/condition';
import type { NotificationItem } from '@/domain/notifications/notification';
import type { Tx } from '../db/client';
import { newId } from '../lib/ids';
import * as repository from './queries/notification-incidents';

/** An incident that opened or closed, as it is told. */
export type Told = { condition: Condition; item: NotificationItem };
type Active = Awaited<ReturnType<typeof repository.listActiveIncidents>>[number];
type Row = Parameters<typeof repository.insertIncidents>[1][number];

function itemOf(row: Omit<NotificationItem, 'incident_id'> & { id: string }): NotificationItem {
  const { id, object_kind, object_id, object_name, detail, first_seen_at, opened_at, closed_at, flaps } = row;
  return { incident_id: id, object_kind, object_id, object_name, detail, first_seen_at, opened_at, closed_at, flaps };
}

const wordsOf = ({ object_name, detail }: Fact) => ({ object_name, detail });

/** Writes what becomes of the incidents of a rule. @returns those that opened and those that closed */
export async function storeIncidents(
  tx: Tx,
  rule_id: string,
  active: readonly Active[],
  changes: readonly IncidentChange[],
  at: string,
): Promise<{ opened: Told[]; closed: Told[] }> {
  const known = new Map(active.map((incident) => [incident.id, incident]));
  const created: Row[] = [];
  const [closed, dropped]: [string[], string[]] = [[], []];
  const told: { opened: Told[]; closed: Told[] } = { opened: [], closed: [] };
  for (const change of changes) {
    if (change.kind === 'create') {
      const { condition, key, object_kind, object_id, ...words } = change.fact;
      const row = { id: newId(), rule_id, condition, key, object_kind, object_id, ...words };
      const times = { first_seen_at: at, updated_at: at, opened_at: change.open ? at : null };
      created.push({ ...row, ...times, status: change.open ? 'open' : 'pending' });
      if (change.open)
        told.opened.push({ condition, item: itemOf({ ...row, ...times, opened_at: at, closed_at: null, flaps: 0 }) });
      continue;
    }
    const incident = known.get(change.incident.id);
    if (!incident) continue;
    const { id, condition } = incident;
    switch (change.kind) {
      case 'drop':
        dropped.push(id);
        break;
      case 'close': {
        closed.push(id);
        const opened_at = incident.opened_at ?? incident.first_seen_at;
        told.closed.push({ condition, item: itemOf({ ...incident, opened_at, closed_at: at }) });
        break;
      }
      case 'open': {
        const words = { ...wordsOf(change.fact), flaps: change.flaps };
        const state = { status: 'open' as const, opened_at: at, clear_since: null, updated_at: at };
        await repository.updateIncident(tx, id, { ...words, ...state });
        told.opened.push({ condition, item: itemOf({ ...incident, ...words, opened_at: at, closed_at: null }) });
        break;
      }
      case 'note': {
        const { clear_since, flaps, fact } = change;
        await repository.updateIncident(tx, id, { ...(fact && wordsOf(fact)), clear_since, flaps, updated_at: at });
        break;
      }
    }
  }
  await repository.insertIncidents(tx, created);
  await repository.closeIncidents(tx, closed, at);
  await repository.deleteIncidents(tx, dropped);
  return told;
}
