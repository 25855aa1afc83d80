import type { SuspiciousSummary, SuspiciousTraffic } from '@/domain/dashboard/suspicious-traffic';
import type { FirewallState } from '../../enforcement/policies/firewall-state/firewall-state';
import { cache } from '../../lib/cache';
import { type FlowSelection, listFormerNames } from '../../traffic/storage/flow-selection';
import { flowStore } from '../../traffic/storage/flow-store';
import { readRemovedSubnets } from './counts';
import { KnownSuspicious, type SuspiciousReach } from './known-suspicious';
import type { SuspiciousEntry } from './suspicious-entry';

/** What those see who may see all flows and policies, with rules and without. Others see little, and each something else. */
const shared = cache<KnownSuspicious>({ name: 'suspicious_flows', maxEntries: 2, entriesOf: ({ size }) => size });

function getKnownSuspicious(reach: SuspiciousReach, { prefixes, periods }: FlowSelection): KnownSuspicious {
  const { flows, policies, rules } = reach;
  const make = () =>
    new KnownSuspicious({
      ...reach,
      prefixes: prefixes === 'all' ? 'all' : new Set(prefixes),
      former: listFormerNames(periods),
    });
  const isShared = flows === 'all' && policies === 'all' && (rules === 'all' || rules === null);
  return isShared ? shared.load(`rules ${rules}`, null, make) : make();
}

const compareEntries = (a: SuspiciousEntry, b: SuspiciousEntry) =>
  a.rank - b.rank || b.sums.last_seen_ms - a.sums.last_seen_ms || (a.key < b.key ? -1 : 1);

/** The first `limit` by `order`. A few of many are picked in one pass instead of sorting all. */
function selectFirst<T>(all: readonly T[], order: (a: T, b: T) => number, limit: number): T[] {
  if (limit > 100 || limit >= all.length) return [...all].sort(order).slice(0, limit);
  const first: T[] = [];
  for (const one of all) {
    const last = first[limit - 1];
    if (limit === 0 || (last !== undefined && order(one, last) >= 0)) continue;
    const at = first.findIndex((other) => order(one, other) < 0);
    first.splice(at === -1 ? first.length : at, 0, one);
    first.length = Math.min(first.length, limit);
  }
  return first;
}

function summarize(found: readonly SuspiciousEntry[]): SuspiciousSummary {
  const summary = { total: found.length, critical: 0, high: 0, medium: 0, low: 0 };
  for (const { severity } of found) summary[severity] += 1;
  return summary;
}

/**
 * Sources outside all current subnets that reached or tried to reach sensitive ports, the worst first: all of them,
 * or the `limit` worst, with the counts of all. What can be shown of a workload's rules goes into the decision; the
 * rules themselves are named where `rules` permits it, policies in audit mode where `policies` does. Of a workload that
 * went to another tenant it is what the agents saw, under its name of then.
 */
export async function readSuspicious(
  selection: FlowSelection,
  firewall: FirewallState,
  reach: SuspiciousReach,
  limit = Number.POSITIVE_INFINITY,
): Promise<{ entries: SuspiciousTraffic[]; summary: SuspiciousSummary }> {
  const { book, gone } = await readRemovedSubnets();
  const rows = await flowStore().suspicious(selection, gone);
  // Nothing is awaited from here on: another reader's call would change the totals.
  const known = getKnownSuspicious(reach, selection);
  const found = known.look(rows, firewall, book);
  const surroundings = known.surroundings(firewall.inputs, book);
  const entries = selectFirst(found, compareEntries, limit).map((entry) => entry.say(surroundings));
  return { entries, summary: summarize(found) };
}
