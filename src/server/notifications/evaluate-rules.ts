import { advanceIncidents, type Findings } from '@/domain/notifications/advance-incidents';
import type { Condition } from '@/domain/notifications/condition';
import { noticeText } from '@/domain/notifications/notice-text';
import { MAX_ITEMS } from '@/domain/notifications/notification';
import { db, type Tx } from '../db/client';
import { clock } from '../lib/clock';
import { groupBy } from '../lib/group-by';
import { announce } from './announce';
import { collectFindings } from './facts/collect-findings';
import { notificationChanged } from './notification-changed';
import { listActiveIncidents, listIncidentsOfDeleted } from './queries/notification-incidents';
import { listEnabledRules, lockRule, type RuleRow } from './queries/notification-rules';
import { startDeliveries } from './start-deliveries';
import { storeIncidents, type Told } from './store-incidents';

/** One notice for everything of one condition that opened, or closed, at the same time. @returns its deliveries */
async function tell(
  tx: Tx,
  rule: RuleRow,
  event: 'opened' | 'closed',
  told: readonly Told[],
  at: string,
): Promise<string[]> {
  const deliveries: string[] = [];
  for (const [condition, list] of groupBy(told, (one) => one.condition)) {
    const items = list.slice(0, MAX_ITEMS).map(({ item }) => item);
    const text = noticeText(condition, event, items, list.length);
    const notice = { event, condition, ...text, items, items_total: list.length, created_at: at };
    deliveries.push(...(await announce(tx, rule, notice)));
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
    const deleted = await listIncidentsOfDeleted(tx, rule.id);
    const changes = advanceIncidents(rule, active, { ...findings, deleted }, now.getTime());
    if (changes.length === 0) return [];
    const at = now.toISOString();
    const { opened, closed } = await storeIncidents(tx, rule.id, active, changes, at);
    const deliveries = await tell(tx, rule, 'opened', opened, at);
    if (rule.notify_recovery) deliveries.push(...(await tell(tx, rule, 'closed', closed, at)));
    await notificationChanged(tx, rule.tenant_id);
    return deliveries;
  });
}

const of = (findings: Findings, conditions: readonly Condition[]): Findings => ({
  ...findings,
  facts: findings.facts.filter(({ condition }) => conditions.includes(condition)),
});

/**
 * Looks at what holds now and advances every rule that is on. What rules of one tenant look at is read as that tenant sees it.
 * May run at any time and as often as one likes: what was told is not told again.
 */
export async function evaluateRules(collect: typeof collectFindings = collectFindings): Promise<void> {
  const rules = await listEnabledRules(db);
  for (const [tenantId, group] of groupBy(rules, (rule) => rule.tenant_id)) {
    const wanted = new Set(group.flatMap(({ conditions }) => conditions));
    const findings = await collect(tenantId === null ? 'all' : [tenantId], wanted);
    for (const rule of group) await startDeliveries(await evaluateRule(rule, of(findings, rule.conditions)));
  }
}
