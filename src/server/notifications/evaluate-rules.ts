import { advanceIncidents, type Findings, type IncidentChange } from '@/domain/notifications/advance-incidents';
import type { Condition, Fact } from '@/domain/notifications/condition';
import { formatEndReason, noticeText } from '@/domain/notifications/notice-text';
import type { NotificationItem } from '@/domain/notifications/notification';
import { listThresholdBreaches } from '@/domain/notifications/thresholds';
import { db, type Tx } from '../db/client';
import { clock } from '../lib/clock';
import { groupBy } from '../lib/group-by';
import { newId } from '../lib/ids';
import { startDeliveries, storeNotice } from './deliveries';
import { collectFindings } from './facts/collect-findings';
import * as repository from './queries/notification-incidents';
import { listActiveIncidents, listEndReasons } from './queries/notification-incidents';
import { listEnabledRules, lockRule, type RuleRow } from './queries/notification-rules';
import { notificationChanged } from './rules';

/** An incident that opened or closed, as it is reported. */
export type Notice = { condition: Condition; item: NotificationItem };
type Active = Awaited<ReturnType<typeof repository.listActiveIncidents>>[number];
type Row = Parameters<typeof repository.insertIncidents>[1][number];

function toItem(row: Omit<NotificationItem, 'incident_id'> & { id: string }): NotificationItem {
  const { id, object_kind, object_id, object_name, detail, first_seen_at, opened_at, closed_at, flaps } = row;
  return { incident_id: id, object_kind, object_id, object_name, detail, first_seen_at, opened_at, closed_at, flaps };
}

const toIncidentText = ({ object_name, detail }: Fact) => ({ object_name, detail });

/** Writes what becomes of the incidents of a rule. @returns those that opened and those that closed */
export async function storeIncidents(
  tx: Tx,
  rule_id: string,
  active: readonly Active[],
  changes: readonly IncidentChange[],
  at: string,
): Promise<{ opened: Notice[]; closed: Notice[] }> {
  const known = new Map(active.map((incident) => [incident.id, incident]));
  const created: Row[] = [];
  const [closed, dropped]: [string[], string[]] = [[], []];
  const reported: { opened: Notice[]; closed: Notice[] } = { opened: [], closed: [] };
  for (const change of changes) {
    if (change.kind === 'create') {
      const { condition, key, object_kind, object_id, ...words } = change.fact;
      const row = { id: newId(), rule_id, condition, key, object_kind, object_id, ...words };
      const times = { first_seen_at: at, updated_at: at, opened_at: change.open ? at : null };
      created.push({ ...row, ...times, status: change.open ? 'open' : 'pending' });
      if (change.open)
        reported.opened.push({
          condition,
          item: toItem({ ...row, ...times, opened_at: at, closed_at: null, flaps: 0 }),
        });
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
        const { end_reason } = change;
        const opened_at = incident.opened_at ?? incident.first_seen_at;
        const detail = end_reason ? `${incident.detail} ${formatEndReason(incident, end_reason)}.` : incident.detail;
        if (end_reason) await repository.updateIncident(tx, id, { detail });
        const item = toItem({ ...incident, detail, opened_at, closed_at: at });
        reported.closed.push({ condition, item: end_reason ? { ...item, end_reason } : item });
        break;
      }
      case 'open': {
        const words = { ...toIncidentText(change.fact), flaps: change.flaps };
        const state = { status: 'open' as const, opened_at: at, clear_since: null, updated_at: at };
        await repository.updateIncident(tx, id, { ...words, ...state });
        reported.opened.push({ condition, item: toItem({ ...incident, ...words, opened_at: at, closed_at: null }) });
        break;
      }
      case 'note': {
        const { clear_since, flaps, fact } = change;
        await repository.updateIncident(tx, id, {
          ...(fact && toIncidentText(fact)),
          clear_since,
          flaps,
          updated_at: at,
        });
        break;
      }
    }
  }
  await repository.insertIncidents(tx, created);
  await repository.closeIncidents(tx, closed, at);
  await repository.deleteIncidents(tx, dropped);
  return reported;
}

/** One notice for everything of one condition that opened, or closed, at the same time. @returns its deliveries */
async function storeNotices(
  tx: Tx,
  rule: RuleRow,
  event: 'opened' | 'closed',
  reported: readonly Notice[],
  at: string,
): Promise<string[]> {
  const deliveries: string[] = [];
  for (const [condition, list] of groupBy(reported, (one) => one.condition)) {
    const items = list.map(({ item }) => item);
    const text = noticeText(condition, event, items, list.length);
    const notice = { event, condition, ...text, items, items_total: list.length, created_at: at };
    deliveries.push(...(await storeNotice(tx, rule, notice)));
  }
  return deliveries;
}

/** Advances one rule in one transaction: its incidents, the notices and their deliveries change together or not at all. */
async function evaluateRule(known: RuleRow, findings: Findings): Promise<string[]> {
  return db.transaction(async (tx) => {
    const rule = await lockRule(tx, 'all', known.id);
    // Changed since what it looks at was read: the next time.
    if (!rule?.enabled || rule.version !== known.version) return [];
    const active = await listActiveIncidents(tx, rule.id);
    const now = clock.now();
    const ends = await listEndReasons(tx, rule);
    const changes = advanceIncidents(rule, active, { ...findings, ends }, now.getTime());
    if (changes.length === 0) return [];
    const at = now.toISOString();
    const { opened, closed } = await storeIncidents(tx, rule.id, active, changes, at);
    const deliveries = await storeNotices(tx, rule, 'opened', opened, at);
    if (rule.notify_recovery) deliveries.push(...(await storeNotices(tx, rule, 'closed', closed, at)));
    await notificationChanged(tx, rule.tenant_id);
    return deliveries;
  });
}

const filterFindings = (
  findings: Findings,
  { conditions, thresholds }: Pick<RuleRow, 'conditions' | 'thresholds'>,
): Findings => ({
  ...findings,
  facts: listThresholdBreaches(
    findings.facts.filter(({ condition }) => conditions.includes(condition)),
    thresholds,
  ),
});

/**
 * Checks what currently holds and advances every enabled rule. What a tenant's rules check is read as that tenant sees
 * it. May run at any time and as often as needed: what was reported is not reported again.
 */
export async function evaluateRules(collect: typeof collectFindings = collectFindings): Promise<void> {
  const rules = await listEnabledRules(db);
  for (const [tenantId, group] of groupBy(rules, (rule) => rule.tenant_id)) {
    const requested = new Set(group.flatMap(({ conditions }) => conditions));
    const findings = await collect(tenantId === null ? 'all' : [tenantId], requested);
    for (const rule of group) await startDeliveries(await evaluateRule(rule, filterFindings(findings, rule)));
  }
}
