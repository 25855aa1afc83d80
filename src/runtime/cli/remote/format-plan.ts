import type { ChangeDifference } from '@/domain/change/difference';
import type { PolicyFilePlan } from '@/domain/policy-file/plan';

const SIGNS = { create: '+', update: '~', delete: '-' } as const;
const KINDS = { security_groups: 'group', policies: 'policy', policy_tests: 'policy test' } as const;
const OUTCOMES = {
  newly_blocked: 'newly blocked',
  newly_allowed: 'newly allowed',
  unknown: 'unknown',
  still_allowed: 'still allowed',
  still_blocked: 'still blocked',
} as const;
/** Lines of one list; of more, the number. */
const MAX_LINES = 50;

type Operation = PolicyFilePlan['operations'][number];

const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
const formatOwner = ({ tenant, project }: Pick<Operation, 'tenant' | 'project'>) =>
  tenant === null ? '' : ` (${project === null ? tenant : `${tenant} / ${project}`})`;

/** A value on one line. Control characters of names do nothing to a terminal. */
const print = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return (text ?? '').replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '�');
};

const short = (lines: readonly string[]): string[] =>
  lines.length <= MAX_LINES ? [...lines] : [...lines.slice(0, MAX_LINES), `and ${lines.length - MAX_LINES} more`];

const isList = (value: unknown): value is unknown[] => Array.isArray(value);

/** How a field changes: of a list, what is added and removed. */
function describeField({ field, before, after }: Operation['fields'][number]): string[] {
  if (!isList(before) || !isList(after)) return [`${field}: ${print(before)} → ${print(after)}`];
  const [old, fresh] = [before, after].map((list) => list.map((one) => JSON.stringify(one)));
  const removed = before.filter((_, at) => !fresh?.includes(old?.[at] ?? ''));
  const added = after.filter((_, at) => !old?.includes(fresh?.[at] ?? ''));
  if (removed.length + added.length === 0) return [`${field}: another order`];
  return [...removed.map((one) => `${field}: - ${print(one)}`), ...added.map((one) => `${field}: + ${print(one)}`)];
}

const title = (operation: Operation) =>
  `${SIGNS[operation.action]} ${KINDS[operation.kind]} ${print(operation.name)}${print(formatOwner(operation))}`;

const describeOperation = (operation: Operation): string[] => [
  title(operation),
  ...(operation.action === 'update' ? operation.fields.flatMap(describeField).map((line) => `    ${line}`) : []),
];

export function summarizeOperations({ operations }: Pick<PolicyFilePlan, 'operations'>): string {
  const count = (action: Operation['action']) => operations.filter((one) => one.action === action).length;
  return `${count('create')} to create, ${count('update')} to change, ${count('delete')} to delete`;
}

/** What happens to the rules and switches of a workload. */
function describeWorkload({
  name,
  vmid,
  changes: { added, removed, moved },
  option_changes,
}: ChangeDifference['workloads'][number]): string {
  const switches = option_changes.length > 0 ? `, ${plural(option_changes.length, 'switch', 'switches')}` : '';
  return `${print(name)} (${vmid}): +${added.length} -${removed.length} ~${moved.length} rules${switches}`;
}

/** What is shown of each workload; null: it could not be read. */
const listShown = ({ workloads, unreadable }: ChangeDifference): ReadonlyMap<string, string | null> =>
  new Map<string, string | null>([
    ...workloads.map((workload) => [workload.workload_id, describeWorkload(workload)] as const),
    ...unreadable.map(({ workload_id }) => [workload_id, null] as const),
  ]);

/** Whether a difference is the one that a plan shows. Workloads that the plan shows as unknown can be read by now. */
export function isDifferenceShown(difference: ChangeDifference, plan: PolicyFilePlan): boolean {
  if (!plan.difference || difference.hidden_workloads > plan.difference.hidden_workloads) return false;
  const [found, shown] = [listShown(difference), listShown(plan.difference)];
  return [...new Set([...found.keys(), ...shown.keys()])].every(
    (id) => shown.get(id) === null || shown.get(id) === found.get(id),
  );
}

function describeRules({ difference }: PolicyFilePlan): { summary: string; lines: string[] } | null {
  if (!difference) return null;
  const { totals, workloads, unreadable, hidden_workloads } = difference;
  const counts = `+${totals.added} -${totals.removed} ~${totals.moved} rules, ${plural(totals.option_changes, 'switch', 'switches')}`;
  const hidden = hidden_workloads > 0 ? `, and ${plural(hidden_workloads, 'workload')} not visible to you` : '';
  return {
    summary: `${plural(totals.workloads, 'workload')}: ${counts}${hidden}`,
    lines: [
      ...workloads.map(describeWorkload),
      ...unreadable.map(({ name, vmid }) => `${print(name)} (${vmid}): unknown, its firewall could not be read`),
    ],
  };
}

function describeImpact({ impact }: PolicyFilePlan): { summary: string; lines: string[] } | null {
  if (!impact) return null;
  if (impact.status === 'failed') return { summary: `unknown: ${impact.error ?? 'the computation failed'}`, lines: [] };
  if (impact.status === 'running') return { summary: 'still being computed', lines: [] };
  if (!impact.traffic_visible) return { summary: 'unknown, no traffic was replayed', lines: [] };
  const parts = (Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[]).map(
    (outcome) => `${impact.totals[outcome]} ${OUTCOMES[outcome]}`,
  );
  const harmful = impact.conversations.items.filter(({ outcome }) => outcome === 'newly_blocked');
  const end = ({ workload, prefix }: (typeof harmful)[number]['client']) => print(workload?.name ?? prefix);
  return {
    summary: parts.join(', '),
    lines: harmful.map(
      ({ client, server, protocol, port }) =>
        `newly blocked: ${end(client)} → ${end(server)} ${protocol}${port === null ? '' : `/${port}`}`,
    ),
  };
}

function describeTests({ tests: { totals, not_passing } }: PolicyFilePlan): { summary: string; lines: string[] } {
  return {
    summary: `${totals.pass} pass, ${totals.fail} fail, ${totals.unknown} unknown`,
    lines: not_passing.map(
      (test) =>
        `${test.result}: ${print(test.name)}${print(formatOwner(test))}${test.reason && ` — ${print(test.reason)}`}`,
    ),
  };
}

const listSections = (plan: PolicyFilePlan) => [
  { name: 'Rules', section: describeRules(plan) },
  { name: 'Observed connections', section: describeImpact(plan) },
  { name: 'Policy tests after the change', section: describeTests(plan) },
  {
    name: 'Endpoints that resolve to nothing',
    section:
      plan.unresolved.length === 0
        ? null
        : {
            summary: String(plan.unresolved.length),
            lines: plan.unresolved.map(
              ({ policy_name, endpoint, reason }) => `${print(policy_name)}: ${print(endpoint)} (${reason})`,
            ),
          },
  },
];

/** A plan for a terminal. */
export function formatPlan(plan: PolicyFilePlan): string[] {
  if (plan.operations.length === 0) return ['Nothing to change.'];
  return [
    ...plan.operations.flatMap(describeOperation),
    '',
    `Plan: ${summarizeOperations(plan)}.`,
    ...listSections(plan).flatMap(({ name, section }) =>
      section ? [`${name}: ${section.summary}.`, ...short(section.lines).map((line) => `  ${line}`)] : [],
    ),
  ];
}

/** Markdown that shows a text as it is. */
const escapeMarkdown = (text: string) => text.replaceAll(/[\\`*_{}[\]()<>#+!|~-]/g, '\\$&');

/** A plan as Markdown, for the discussion of a pull request. */
export function formatPlanMarkdown(plan: PolicyFilePlan): string[] {
  if (plan.operations.length === 0) return ['### Fabric: nothing to change'];
  const fence = '```';
  return [
    `### Fabric: ${summarizeOperations(plan)}`,
    '',
    `${fence}diff`,
    // What a name says must not end the block.
    ...plan.operations.flatMap(describeOperation).map((line) => line.replaceAll(fence, "'''")),
    fence,
    '',
    ...listSections(plan).flatMap(({ name, section }) => {
      if (!section) return [];
      const lines = short(section.lines).map((line) => `- ${escapeMarkdown(line)}`);
      return [`**${name}**: ${escapeMarkdown(section.summary)}`, ...(lines.length > 0 ? ['', ...lines] : []), ''];
    }),
  ];
}
