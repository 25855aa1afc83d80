import type { DriftKind } from '../change/drift-kinds';
import type { LiveRule, LiveSetEntry } from '../firewall/live-state';
import type { GuestDiff, StaleRule } from '../policy/compare-rules';
import type { DesiredRule } from '../policy/desired';
import { isShuffled } from '../policy/evaluation-order';
import { parseMarker } from '../policy/marker';
import { type GuestView, type IsAppliedOrder, readOrder } from '../policy/status';
import { describeDesired, describeLive, findMarkedPosition } from './describe-rule';

/** What is known about one policy at one workload. */
export type DriftInput = {
  readonly policy: { readonly id: string; readonly version: number };
  /** The comparison of the live with the desired state. */
  readonly view: GuestView;
  /** The comparison of the live rules with what was last applied of all policies; null when they could not be read. */
  readonly applied_diff: GuestDiff | null;
  /** What was last applied of this policy; null: nothing, so that none of its rules may be live. */
  readonly applied: {
    readonly rules: readonly DesiredRule[];
    readonly policy_version: number;
    readonly drop_in: boolean;
    readonly drop_out: boolean;
  } | null;
  readonly sets: Readonly<Record<string, readonly LiveSetEntry[]>> | null;
  readonly placement: 'above' | 'below';
  readonly isAppliedOrder?: IsAppliedOrder;
};

/** One difference between what was last applied and what is live. */
export type Difference = {
  readonly kind: DriftKind;
  /** Distinguishes differences of one kind. */
  readonly subject_key: string;
  readonly subject: string;
  /** The rule's position in the version of the policy that was applied; null when it concerns none. */
  readonly rule_position: number | null;
  readonly desired: string | null;
  readonly last_applied: string | null;
  readonly live: string | null;
  /** The live rules that differ. */
  readonly rules: readonly LiveRule[];
};

/** `unread`: kinds for which something could not be read, so that their absence proves nothing. */
export type FoundDrift = { readonly differences: readonly Difference[]; readonly unread: readonly DriftKind[] };

const RULE_KINDS: readonly DriftKind[] = [
  'edited',
  'deleted',
  'disabled',
  'reordered',
  'duplicated',
  'leftover',
  'shadowed',
  'marker_forged',
  'workload_moved',
];

const toLines = (texts: readonly string[]) => (texts.length > 0 ? texts.join('\n') : null);
const toSubject = (position: number | null, other: string) => (position === null ? other : `Rule ${position + 1}`);

type Surplus = { kind: DriftKind; key: string; subject: string; position: number | null };

/** What a live rule with the policy's marker is, other than a rule that was applied. */
function classify(
  { rule, reason }: StaleRule,
  { policy, applied, applied_diff }: DriftInput,
  known: ReadonlyMap<string, DesiredRule>,
): Surplus | null {
  const marker = parseMarker(rule.comment);
  if (!marker) return null;
  const { rule_hash: hash, version, vmid } = marker;
  if (reason === 'foreign_instance') {
    return { kind: 'marker_forged', key: `${marker.instance} ${hash}`, subject: 'Marker', position: null };
  }
  if (reason === 'other_vmid') {
    return { kind: 'workload_moved', key: String(vmid), subject: `Workload ${vmid}`, position: null };
  }
  const ours = known.get(hash);
  const position = ours?.rule_position ?? findMarkedPosition(rule, hash);
  const subject = toSubject(position, 'Rule');
  const base = { key: hash, subject, position };
  const isKept = applied_diff?.kept.some(({ desired }) => desired === ours) ?? false;
  if (!ours) {
    const isForged = position === null || version > Math.max(policy.version, applied?.policy_version ?? 0);
    return { kind: isForged ? 'marker_forged' : 'leftover', ...base };
  }
  if (isKept) return { kind: 'duplicated', ...base };
  if (reason === 'outdated_version') return { kind: 'marker_forged', ...base };
  return { kind: reason === 'disabled' ? 'disabled' : 'edited', ...base };
}

/** The rules that the policy has now at the position of one that was applied. */
const describePresent = ({ policy, view }: DriftInput, position: number | null) =>
  position === null
    ? null
    : toLines(
        (view.desired?.rules ?? [])
          .filter((rule) => rule.policy_id === policy.id && rule.rule_position === position)
          .map(describeDesired),
      );

/** The rules that the policy has now with this hash, or else at its position. */
function describeRule(input: DriftInput, hash: string, position: number | null): string | null {
  const same = input.view.desired?.rules.find((rule) => rule.policy_id === input.policy.id && rule.rule_hash === hash);
  return same ? describeDesired(same) : describePresent(input, position);
}

/** Rules that bear the policy's marker and are not what was applied, those of one subject together. */
function findSurplus(input: DriftInput, diff: GuestDiff, known: ReadonlyMap<string, DesiredRule>): Difference[] {
  const found = new Map<string, Surplus & { rules: LiveRule[] }>();
  for (const stale of diff.removed) {
    if (stale.policy_id !== input.policy.id) continue;
    const surplus = classify(stale, input, known);
    if (!surplus) continue;
    const key = `${surplus.kind} ${surplus.key}`;
    const same = found.get(key);
    if (same) same.rules.push(stale.rule);
    else found.set(key, { ...surplus, rules: [stale.rule] });
  }
  return [...found.values()].map(({ kind, key, subject, position, rules }) => {
    const ours = known.get(key);
    const isForgery = kind === 'marker_forged';
    return {
      kind,
      subject_key: key,
      subject,
      rule_position: ours ? position : null,
      desired: kind === 'workload_moved' ? null : describeRule(input, key, ours ? position : null),
      last_applied: ours ? describeDesired(ours) : null,
      live: toLines(
        rules.map((rule) => (isForgery ? `${describeLive(rule)} ${rule.comment ?? ''}` : describeLive(rule))),
      ),
      rules,
    };
  });
}

/** Rules that were applied and of which nothing is live. One that is not desired any more is no difference. */
function findDeleted({ policy, view }: DriftInput, diff: GuestDiff): Difference[] {
  const replaced = new Set(
    diff.removed
      .filter(
        ({ policy_id, reason }) => policy_id === policy.id && reason !== 'other_vmid' && reason !== 'foreign_instance',
      )
      .map(({ rule }) => parseMarker(rule.comment))
      .flatMap((marker) => marker?.rule_hash ?? []),
  );
  const present = new Map(
    (view.desired?.rules ?? [])
      .filter(({ policy_id }) => policy_id === policy.id)
      .map((rule) => [rule.rule_hash, rule] as const),
  );
  return diff.added.flatMap((rule): Difference[] => {
    const desired = present.get(rule.rule_hash);
    if (rule.policy_id !== policy.id || replaced.has(rule.rule_hash) || !desired) return [];
    return [
      {
        kind: 'deleted',
        subject_key: rule.rule_hash,
        subject: toSubject(rule.rule_position, 'Rule'),
        rule_position: rule.rule_position,
        desired: describeDesired(desired),
        last_applied: describeDesired(rule),
        live: null,
        rules: [],
      },
    ];
  });
}

/** Rules of the policy in an order that was not applied: among themselves, or relative to other policies. */
function findReordered({ policy, view, isAppliedOrder }: DriftInput, diff: GuestDiff): Difference[] {
  const applied = diff.result.filter((item): item is LiveRule => 'pos' in item);
  const order = new Map(applied.map((rule, rank) => [rule, rank]));
  const ranks = new Map(diff.kept.map(({ desired, rule }) => [desired as unknown, order.get(rule) ?? 0]));
  const isOrderChanged = readOrder(policy.id, view, isAppliedOrder) === 'order_differs';
  if (!isOrderChanged && !isShuffled(policy.id, diff, ranks)) return [];
  const rank = (item: (typeof diff.kept)[number]) => ranks.get(item.desired) ?? 0;
  const names = (items: typeof diff.kept) =>
    items
      .map(({ desired }) => (desired.policy_id === policy.id ? `Rule ${desired.rule_position + 1}` : 'another policy'))
      .filter((name, at, all) => name !== all[at - 1])
      .join(', ');
  const expected = names([...diff.kept].sort((a, b) => rank(a) - rank(b)));
  const live = names([...diff.kept].sort((a, b) => a.rule.pos - b.rule.pos));
  const base = { kind: 'reordered', subject_key: 'order', subject: 'Order', rule_position: null } as const;
  return [{ ...base, desired: expected, last_applied: expected, live, rules: diff.kept.map(({ rule }) => rule) }];
}

/** Unmanaged rules on the wrong side of the policy's. */
function findShadowed({ policy, placement }: DriftInput, diff: GuestDiff): Difference[] {
  const moved = diff.moved.filter(
    ({ desired, reason }) => desired.policy_id === policy.id && reason === 'foreign_rule',
  );
  if (moved.length === 0) return [];
  const kept = new Set(diff.kept.map(({ rule }) => rule));
  const isWrong = ({ pos }: LiveRule) =>
    moved.some(({ rule }) => (placement === 'above' ? pos < rule.pos : pos > rule.pos));
  const unmanaged = diff.result.filter((item): item is LiveRule => 'pos' in item && !kept.has(item) && isWrong(item));
  const base = { kind: 'shadowed', subject_key: 'order', subject: 'Unmanaged rules', rule_position: null } as const;
  const text = placement === 'above' ? 'Rules of policies first' : 'Unmanaged rules first';
  return [{ ...base, desired: text, last_applied: text, live: toLines(unmanaged.map(describeLive)), rules: unmanaged }];
}

/** Sets that rules refer to, as long as the policy still wants them: the name of a set says its content. */
function findChangedSets({ view, sets }: DriftInput, rules: readonly DesiredRule[]): Difference[] {
  if (!view.sets || !sets) return [];
  const referred = new Set(rules.map(({ content }) => (content.source ?? content.dest ?? '').replace('+guest/', '')));
  const changed = new Set([...view.sets.created, ...view.sets.changed].map(({ name }) => name));
  return (view.desired?.sets ?? []).flatMap(({ name, cidrs }): Difference[] => {
    if (!referred.has(name) || !changed.has(name)) return [];
    const live = Object.hasOwn(sets, name) ? (sets[name] ?? null) : null;
    const text = toLines(cidrs);
    const lines = live?.map(({ cidr, nomatch, errors }) => `${nomatch ? '!' : ''}${cidr}${errors ? ' (invalid)' : ''}`);
    const base = { kind: 'set_changed', subject_key: name, subject: name, rule_position: null, rules: [] } as const;
    return [{ ...base, desired: text, last_applied: text, live: lines ? lines.join('\n') : null }];
  });
}

const SWITCHES = {
  cluster_firewall_off: ['cluster', 'Cluster firewall'],
  guest_firewall_off: ['guest', 'Guest firewall'],
} as const;

function findSwitches({ view }: DriftInput): Difference[] {
  const off = new Map<string, string>();
  for (const [at, enforcement] of view.enforcement.entries()) {
    if (enforcement.status !== 'off') continue;
    for (const reason of enforcement.reasons) {
      const nic = view.nic_names?.[at] ?? 'net0';
      const [key, subject] = reason === 'nic_flag_off' ? [nic, nic] : SWITCHES[reason];
      off.set(key, subject);
    }
  }
  return [...off].map(([subject_key, subject]) => ({
    kind: 'switch_changed',
    subject_key,
    subject,
    rule_position: null,
    desired: 'on',
    // A cluster's switch is not the policy's to write.
    last_applied: subject_key === 'cluster' ? null : 'on',
    live: 'off',
    rules: [],
  }));
}

const DIRECTIONS = [
  ['in', 'drop_in', 'Input policy'],
  ['out', 'drop_out', 'Output policy'],
] as const;

function findDefaults({ policy, view }: DriftInput, applied: NonNullable<DriftInput['applied']>): Difference[] {
  const { defaults, desired } = view;
  if (!defaults) return [];
  return DIRECTIONS.flatMap(([direction, drop, subject]): Difference[] => {
    if (!applied[drop] || !desired?.[drop].includes(policy.id) || defaults[direction] === 'DROP') return [];
    const base = { kind: 'default_changed', subject_key: direction, subject, rule_position: null, rules: [] } as const;
    return [{ ...base, desired: 'DROP', last_applied: 'DROP', live: defaults[direction] }];
  });
}

/** Kinds of which something could not be read. */
function listUnread({ view, sets, applied_diff }: DriftInput): DriftKind[] {
  return [
    ...(applied_diff ? [] : RULE_KINDS),
    ...(sets && view.sets ? [] : (['set_changed'] as const)),
    ...(view.enforcement.some(({ status }) => status === 'unknown') ? (['switch_changed'] as const) : []),
    ...(view.defaults ? [] : (['default_changed'] as const)),
  ];
}

/**
 * How the live state of a policy at a workload differs from what was last applied there. What merely waits for an apply is
 * no drift, nor is what could not be read. A difference that the desired state has as well (a rule deleted manually that the
 * policy no longer has) is none either: nothing is to be done about it.
 */
export function findDrift(input: DriftInput): FoundDrift {
  const { policy, view, applied, applied_diff: diff } = input;
  // There is nothing live on a workload that is proven to be gone.
  if (view.missing) return { differences: [], unread: [] };
  const known = new Map((applied?.rules ?? []).map((rule) => [rule.rule_hash, rule]));
  const differences: Difference[] = [];
  if (diff) {
    differences.push(...findSurplus(input, diff, known), ...findDeleted(input, diff));
    if (applied) differences.push(...findReordered(input, diff), ...findShadowed(input, diff));
  }
  const isDesired =
    view.desired?.rules.some(({ policy_id }) => policy_id === policy.id) ||
    [...(view.desired?.drop_in ?? []), ...(view.desired?.drop_out ?? [])].includes(policy.id);
  if (applied && isDesired) {
    differences.push(...findChangedSets(input, applied.rules), ...findSwitches(input), ...findDefaults(input, applied));
  }
  return { differences, unread: listUnread(input) };
}
