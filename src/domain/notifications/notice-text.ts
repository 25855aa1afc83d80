import type { Condition } from './condition';
import type { NotificationEvent, NotificationItem } from './notification';

type Words = { one: (name: string) => string; many: (count: number) => string; over: (name: string) => string };

const WORDS = {
  sync_failed: {
    one: (name) => `Sync of ${name} failed`,
    many: (count) => `Syncs of ${count} clusters failed`,
    over: (name) => `Sync of ${name} works again`,
  },
  agent_silent: {
    one: (name) => `Agent of ${name} is stale`,
    many: (count) => `${count} agents are stale`,
    over: (name) => `Agent of ${name} is reporting again`,
  },
  agent_reports_refused: {
    one: (name) => `Agent of ${name} reports workloads of other nodes`,
    many: (count) => `${count} agents report workloads of other nodes`,
    over: (name) => `Agent of ${name} reports only its own workloads again`,
  },
  agent_token_replaced: {
    one: (name) => `Token of ${name} replaced while its agent was reporting`,
    many: (count) => `Tokens of ${count} nodes replaced while their agents were reporting`,
    over: (name) => `No token replacement on ${name} for one day`,
  },
  policy_drifted: {
    one: (name) => `Policy ${name} drifted`,
    many: (count) => `${count} policies drifted`,
    over: (name) => `Policy ${name} is in sync again`,
  },
  policy_expiring: {
    one: (name) => `Policy ${name} expires`,
    many: (count) => `${count} rules or policies expire`,
    over: (name) => `Policy ${name} no longer expires soon`,
  },
  recertification_due: {
    one: (name) => `Policy ${name} is due for recertification`,
    many: (count) => `${count} policies are due for recertification`,
    over: (name) => `Policy ${name} was confirmed or removed`,
  },
  policy_test_failing: {
    one: (name) => `Policy test ${name} fails`,
    many: (count) => `${count} policy tests fail`,
    over: (name) => `Policy test ${name} no longer fails`,
  },
  change_in_review: {
    one: (name) => `Change ${name} waits for approval`,
    many: (count) => `${count} changes wait for approval`,
    over: (name) => `Change ${name} no longer waits for approval`,
  },
  change_break_glass: {
    one: (name) => `Change ${name} applied without approval`,
    many: (count) => `${count} changes applied without approval`,
    over: (name) => `Change ${name} was applied without approval more than a day ago`,
  },
  change_rollback_incomplete: {
    one: (name) => `Rollback of change ${name} incomplete`,
    many: (count) => `${count} rollbacks of changes incomplete`,
    over: (name) => `Rollback of change ${name} complete, or incomplete for more than a day`,
  },
  residual_rules: {
    one: (name) => `Rules of a former tenant or project on ${name}`,
    many: (count) => `Rules of a former tenant or project on ${count} workloads`,
    over: (name) => `No more rules of a former tenant or project on ${name}`,
  },
  node_firewall_not_compiling: {
    one: (name) => `Firewall of ${name} cannot compile`,
    many: (count) => `Firewalls of ${count} nodes cannot compile`,
    over: (name) => `Firewall of ${name} compiles again`,
  },
  suspicious_traffic_critical: {
    one: (name) => `Critical suspicious traffic to ${name}`,
    many: (count) => `Critical suspicious traffic to ${count} destinations`,
    over: (name) => `No more critical suspicious traffic to ${name}`,
  },
  traffic_escaped: {
    one: (name) => `Traffic of ${name} passed against its rules`,
    many: (count) => `Traffic of ${count} workloads passed against their rules`,
    over: (name) => `No more traffic of ${name} against its rules`,
  },
  address_conflict: {
    one: (name) => `Address conflict: ${name}`,
    many: (count) => `${count} address conflicts`,
    over: (name) => `Address conflict resolved: ${name}`,
  },
  workload_traffic_high: {
    one: (name) => `High traffic of ${name}`,
    many: (count) => `High traffic of ${count} workloads`,
    over: (name) => `Traffic of ${name} is below the threshold again`,
  },
  cluster_traffic_high: {
    one: (name) => `High traffic of cluster ${name}`,
    many: (count) => `High traffic of ${count} clusters`,
    over: (name) => `Traffic of cluster ${name} is below the threshold again`,
  },
  drops_high: {
    one: (name) => `Many dropped connections of ${name}`,
    many: (count) => `Many dropped connections of ${count} workloads`,
    over: (name) => `Dropped connections of ${name} are below the threshold again`,
  },
  new_external_service: {
    one: (name) => `New service on ${name} reached from outside`,
    many: (count) => `${count} new services reached from outside`,
    over: (name) => `The service on ${name} is no longer new`,
  },
  coverage_low: {
    one: (name) => `Low coverage of ${name}`,
    many: (count) => `Low coverage (${count})`,
    over: (name) => `Coverage of ${name} is at the threshold again`,
  },
} as const satisfies Record<Condition, Words>;

/** Subject lines and lists stay readable. */
const MAX_TITLE = 200;
const LISTED = 10;

/** One line without control characters, cut to `max`: names come from clusters and may hold anything. */
export function plainLine(text: string, max: number): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.length <= max ? line : `${line.slice(0, max - 1)}…`;
}

function formatNoticeTitle(condition: Condition, event: NotificationEvent, first: string, total: number): string {
  const words = WORDS[condition];
  if (event !== 'closed') return total === 1 ? words.one(first) : words.many(total);
  return total === 1 ? words.over(first) : `Resolved: ${words.many(total)}`;
}

/** Title and text of one notice about incidents of one condition. `items` are the first of `total`. */
export function noticeText(
  condition: Condition,
  event: 'opened' | 'closed',
  items: readonly Pick<NotificationItem, 'object_name' | 'detail' | 'flaps'>[],
  total: number,
): { title: string; detail: string } {
  const name = plainLine(items[0]?.object_name ?? '', 100);
  const title = plainLine(formatNoticeTitle(condition, event, name, total), MAX_TITLE);
  if (total === 1) {
    const [only] = items;
    const flaps = only && only.flaps > 0 ? ` It flapped ${only.flaps === 1 ? 'once' : `${only.flaps} times`}.` : '';
    return { title, detail: `${plainLine(only?.detail ?? '', 1000)}${flaps}` };
  }
  const lines = items.slice(0, LISTED).map((item) => `- ${plainLine(`${item.object_name}: ${item.detail}`, 300)}`);
  const more = total - lines.length;
  return { title, detail: [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n') };
}
