import type { Condition, Fact } from './condition';
import type { IncidentEndReason, NotificationEvent, NotificationItem } from './notification';

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
    over: (name) => `Token replacement on ${name} is more than a day old, or another one followed`,
  },
  policy_drifted: {
    one: (name) => `Policy ${name} drifted`,
    many: (count) => `${count} policies drifted`,
    over: (name) => `No more drift of policy ${name}`,
  },
  policy_expiring: {
    one: (name) => `Policy ${name} expires`,
    many: (count) => `${count} rules or policies expire`,
    over: (name) => `Policy ${name} no longer expires soon`,
  },
  recertification_due: {
    one: (name) => `Policy ${name} is due for recertification`,
    many: (count) => `${count} policies are due for recertification`,
    over: (name) => `Policy ${name} is no longer due for recertification`,
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
    over: (name) => `Firewall of ${name} no longer fails to compile`,
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
    over: (name) => `Coverage of ${name} is no longer below the threshold`,
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

/** What incidents are about, before its name. */
const OBJECT_WORDS: Partial<Record<Fact['object_kind'], string>> = {
  cluster: 'Cluster',
  node: 'Node',
  agent: 'Node',
  policy: 'Policy',
  policy_test: 'Policy test',
  change: 'Change',
  workload: 'Workload',
  address: 'The cluster of',
  ipam_conflict: 'Address conflict',
};

/** Why an incident is over whose condition was not seen to end, as a sentence without its end. */
export function formatEndReason(
  { object_kind, object_name }: Pick<NotificationItem, 'object_kind' | 'object_name'>,
  reason: IncidentEndReason,
): string {
  const word = OBJECT_WORDS[object_kind as Fact['object_kind']];
  const object = [...(word ? [word] : []), plainLine(object_name, 100)].join(' ');
  if (reason === 'removed') return `${object} was removed`;
  if (reason === 'not_enforced') return `${object} is no longer enforced`;
  return word === 'Node' ? `${object} left its cluster` : `${object} is no longer visible to the tenant`;
}

type Item = Pick<NotificationItem, 'object_kind' | 'object_name' | 'detail' | 'flaps' | 'end_reason'>;

function formatNoticeTitle(
  condition: Condition,
  event: NotificationEvent,
  items: readonly Item[],
  total: number,
): string {
  const words = WORDS[condition];
  const [first] = items;
  const name = plainLine(first?.object_name ?? '', 100);
  if (event !== 'closed') return total === 1 ? words.one(name) : words.many(total);
  if (total > 1) return `${items.some(({ end_reason }) => end_reason) ? 'Over' : 'Resolved'}: ${words.many(total)}`;
  return first?.end_reason ? formatEndReason(first, first.end_reason) : words.over(name);
}

/** Title and text of one notice about incidents of one condition. `items` are the first of `total`. */
export function noticeText(
  condition: Condition,
  event: 'opened' | 'closed',
  items: readonly Item[],
  total: number,
): { title: string; detail: string } {
  const title = plainLine(formatNoticeTitle(condition, event, items, total), MAX_TITLE);
  if (total === 1) {
    const [only] = items;
    const flaps = only && only.flaps > 0 ? ` It flapped ${only.flaps === 1 ? 'once' : `${only.flaps} times`}.` : '';
    return { title, detail: `${plainLine(only?.detail ?? '', 1000)}${flaps}` };
  }
  const lines = items.slice(0, LISTED).map((item) => `- ${plainLine(`${item.object_name}: ${item.detail}`, 300)}`);
  const more = total - lines.length;
  return { title, detail: [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n') };
}
