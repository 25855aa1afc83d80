import { ADOPTABLE_KINDS } from '../change/drift-kinds';
import type { ChangeEdit } from '../change/items';
import type { LiveRule } from '../firewall/live-state';
import type { PolicySnapshot, SecurityRule } from '../policies';
import type { CompilableRule, DesiredRule } from '../policy/desired';
import { parseEndpoint } from '../policy/endpoint';
import { parseMarker } from '../policy/marker';
import { PolicyDefinition, SecurityRuleInput } from '../policy/policy';
import { isSameJson } from '../policy/snapshot';
import { comparePolicies } from '../policy/tier';
import { toOwnComment } from './describe-rule';
import type { Difference } from './find-drift';

type Rank = Parameters<typeof comparePolicies>[0];

/** A workload where differences of a policy are adopted. */
export type AdoptPlace = {
  readonly differences: readonly Difference[];
  /** What was last applied of the policy there, what it wants now, and all live rules. */
  readonly applied: readonly DesiredRule[];
  readonly desired: readonly DesiredRule[];
  readonly live: readonly LiveRule[];
  readonly workload: {
    readonly id: string;
    readonly name: string;
    readonly vmid: number;
    readonly cluster_name: string;
  };
  /** Other policies with rules on the workload. */
  readonly others: readonly Rank[];
};

export type AdoptInput = {
  /** The policy as it is stored. */
  readonly policy: PolicySnapshot & Rank & { version: number; tenant_id: string | null; project_id: string | null };
  readonly places: readonly AdoptPlace[];
  /** Workloads that an endpoint of the policy resolves to, by id. */
  readonly resolve: (endpoint: string) => readonly string[];
};

/** Edits for a change, or why the differences at one of the places cannot be expressed exactly by policies. */
export type Adopted =
  | { readonly edits: Extract<ChangeEdit, { kind: 'policy' }>[] }
  | { readonly refusal: string; readonly place: number };
type Content = { readonly rules: readonly SecurityRule[]; readonly definition: PolicyDefinition };
type Policy = AdoptInput['policy'];

class Refusal extends Error {}

const ACTIONS: Readonly<Record<string, SecurityRuleInput['action']>> = {
  ACCEPT: 'accept',
  DROP: 'drop',
  REJECT: 'reject',
};
const toPorts = (text: string | undefined) => (text ? text.split(',').map((port) => port.replace(':', '-')) : []);

/** The content of a live rule as a policy has it. Addresses belong to the whole policy, so they must be unchanged. */
function toRuleInput(live: LiveRule, applied: DesiredRule): CompilableRule {
  const { source, dest, type } = applied.content;
  if (live.type !== type || (live.source || undefined) !== source || (live.dest || undefined) !== dest) {
    throw new Refusal('The addresses of a rule are those of the whole policy. Change its sources or targets instead.');
  }
  const parsed = SecurityRuleInput.safeParse({
    action: ACTIONS[live.action],
    protocol: live.proto ?? 'any',
    destination_ports: toPorts(live.dport),
    source_ports: toPorts(live.sport),
    icmp_type: live['icmp-type'] ?? null,
    log: live.log ?? 'nolog',
    enabled: Boolean(live.enable),
    comment: toOwnComment(live.comment),
  });
  if (!parsed.success || live.macro || live.iface || live.errors) {
    const type = parsed.error?.issues.find(({ path }) => path[0] === 'icmp_type');
    throw new Refusal(
      type
        ? `The ICMP type ${live['icmp-type']} cannot be adopted. ${type.message}`
        : 'The live rule has content that a policy cannot express, such as a macro or an interface.',
    );
  }
  // A live rule has none of these: those of the policy's rule stay.
  const { owner: _, ticket: __, expires_at: ___, ...content } = parsed.data;
  return content;
}

/** The rule of the policy that a difference is about, and the live rule that takes its place; null: none does. */
function selectRule(policy: Policy, { differences, applied, desired }: AdoptPlace, one: Difference) {
  const rule = policy.rules.find(({ position }) => position === one.rule_position);
  const hash = one.subject_key;
  if (!rule || !desired.some(({ rule_hash }) => rule_hash === hash)) {
    throw new Refusal('The rule has changed since it was applied. Apply the policy, or edit it.');
  }
  const parts = applied.filter(({ rule_position }) => rule_position === one.rule_position);
  const isWhole = parts.every(({ rule_hash }) =>
    differences.some(({ kind, subject_key }) => kind === one.kind && subject_key === rule_hash),
  );
  if (one.kind === 'edited' ? parts.length > 1 || one.rules.length !== 1 : !isWhole) {
    throw new Refusal('The rule is live as several rules of which only some differ. Edit the policy instead.');
  }
  return { rule, part: parts[0], live: one.rules[0] };
}

/** Rules in the order in which they are live; those that are not live keep their places. */
function reorderRules(policy: Policy, { live, applied }: AdoptPlace, rules: readonly SecurityRule[]): SecurityRule[] {
  const positions = new Map(applied.map(({ rule_hash, rule_position }) => [rule_hash, rule_position]));
  const order = [...live]
    .sort((a, b) => a.pos - b.pos)
    .flatMap(({ comment }) => {
      const marker = parseMarker(comment);
      return marker?.policy_id === policy.id ? (positions.get(marker.rule_hash) ?? []) : [];
    })
    .filter((position, at, all) => position !== all[at - 1]);
  const isSorted = order.every((position, at) => at === 0 || position > (order[at - 1] ?? 0));
  if (new Set(order).size !== order.length || isSorted) {
    throw new Refusal('Only the order of whole rules within the policy can be adopted. Change the priority instead.');
  }
  const slots = [...order].sort((a, b) => a - b);
  const moved = new Map(slots.map((slot, at) => [slot, order[at]]));
  return rules.map((rule) => {
    const from = moved.get(rule.position);
    const taken = from === undefined ? rule : (rules.find(({ position }) => position === from) ?? rule);
    return { ...taken, position: rule.position };
  });
}

/** The policy's content with the differences of a workload adopted. */
function adoptContent(policy: Policy, place: AdoptPlace): Content {
  let rules: SecurityRule[] = [...policy.rules];
  let definition = policy.definition as PolicyDefinition;
  for (const one of place.differences) {
    if (!ADOPTABLE_KINDS.includes(one.kind)) {
      throw new Refusal('No policy can express this difference. Reconcile it, or accept it.');
    }
    if (one.kind === 'default_changed') {
      if (one.live !== 'ACCEPT' || definition.direction === 'both') {
        throw new Refusal('Only a default of accepting, in the one direction of the policy, can be adopted.');
      }
      definition = { ...definition, default_action: 'none' };
    } else if (one.kind !== 'reordered') {
      const { rule, part, live } = selectRule(policy, place, one);
      const content = one.kind === 'edited' && part && live ? toRuleInput(live, part) : { enabled: false };
      rules = rules.map((other) => (other.position === rule.position ? { ...other, ...content } : other));
    }
  }
  if (place.differences.some(({ kind }) => kind === 'reordered')) rules = reorderRules(policy, place, rules);
  return { rules, definition };
}

/** The value that differs from what was; null when both differ from it and from each other. */
const pickChanged = <T>(was: T, one: T, other: T): T | null =>
  isSameJson(one, was) || isSameJson(one, other) ? other : isSameJson(other, was) ? one : null;

/** What two workloads make of a policy together. */
function mergeContents(policy: Policy, one: Content, other: Content): Content {
  const listIds = (rules: readonly SecurityRule[]) => rules.map(({ id }) => id);
  const find = (rules: readonly SecurityRule[], id: string) => {
    const found = rules.find((rule) => rule.id === id);
    if (!found) throw new Error(`expected the rule ${id} in the adopted content`);
    return { ...found, position: 0 };
  };
  const order = pickChanged(listIds(policy.rules), listIds(one.rules), listIds(other.rules));
  const rules = order?.map((id, position) => {
    const picked = pickChanged(find(policy.rules, id), find(one.rules, id), find(other.rules, id));
    return picked && { ...picked, position };
  });
  const definition = pickChanged(policy.definition as PolicyDefinition, one.definition, other.definition);
  if (!definition || !rules || rules.includes(null)) {
    throw new Refusal('Another workload differs from the same rule or order in another way. Adopt only one of them.');
  }
  return { rules: rules.filter((rule) => rule !== null), definition };
}

const toInput = ({ id: _, position: _position, ...rule }: SecurityRule): SecurityRuleInput => rule as SecurityRuleInput;

const toReason = (places: readonly AdoptPlace[]) =>
  `Adopted from the live rules of ${places.map(({ workload }) => `${workload.name} (${workload.vmid})`).join(', ')}`;
const toAdoptedFrom = (places: readonly AdoptPlace[]) => ({
  adopted_from: places.map(({ workload: { id, name } }) => ({ id, name })),
});

/** The policy with other content, for all its workloads. */
function toPolicyEdit(policy: Policy, { rules, definition }: Content, places: readonly AdoptPlace[]) {
  const { name, description, enabled, tier, tenant_visibility, priority, tenant_id, project_id, id, version } = policy;
  const { owner, ticket, expires_at } = policy;
  const fields = { name, description, enabled, tier, tenant_visibility, priority, tenant_id, project_id };
  const responsible = { owner, ticket, expires_at };
  const reason = toReason(places).slice(0, 200);
  const content = { ...fields, ...responsible, definition, rules: rules.map(toInput), reason };
  return {
    ...{ kind: 'policy' as const, policy_id: id, base_version: version, policy: content },
    ...toAdoptedFrom(places),
  };
}

/** A policy of its own for the workload, evaluated directly before the policy. */
function toExceptionEdit(policy: Policy, { rules, definition }: Content, place: AdoptPlace) {
  const { workload, others } = place;
  const isBetween = (other: Rank) =>
    other.tier === policy.tier && other.priority === policy.priority && comparePolicies(other, policy) < 0;
  if (policy.priority === 0 || others.some(isBetween)) {
    throw new Refusal('No priority directly before the policy is free. Change its priority first.');
  }
  const side = definition.direction === 'in' ? 'targets' : 'sources';
  const endpoint = `vmid:${workload.cluster_name}/${workload.vmid}`;
  const { tier, tenant_visibility, tenant_id, project_id, owner, ticket, expires_at } = policy;
  const content = {
    name: `${policy.name.slice(0, 60)} on ${workload.name.slice(0, 30)} (${workload.vmid})`,
    description: `Exception of the policy ${policy.name} for one workload.`,
    enabled: true,
    ...{ tier, tenant_visibility, tenant_id, project_id, priority: policy.priority - 1 },
    // It ends with the policy.
    ...{ owner, ticket, expires_at },
    definition: PolicyDefinition.parse({ ...definition, [side]: [endpoint] }),
    rules: rules.map(toInput),
    reason: toReason([place]).slice(0, 200),
  };
  return { kind: 'policy' as const, policy: content, ...toAdoptedFrom([place]) };
}

/** Where a policy acts without the workload, if only endpoints that name it put the policy there; null: a group, tag or `any` does. */
function excludeWorkload(
  definition: PolicyDefinition,
  { workload }: AdoptPlace,
  resolve: AdoptInput['resolve'],
): PolicyDefinition | null {
  const side = definition.direction === 'in' ? 'targets' : 'sources';
  const reaching = definition[side].filter((endpoint) => resolve(endpoint).includes(workload.id));
  const isName = (endpoint: string) => {
    const parsed = parseEndpoint(endpoint);
    return 'kind' in parsed && (parsed.kind === 'vmid' || parsed.kind === 'workload');
  };
  const rest = definition[side].filter((endpoint) => !reaching.includes(endpoint));
  return rest.length > 0 && reaching.every(isName) ? ({ ...definition, [side]: rest } as PolicyDefinition) : null;
}

/** The rules up to the last edited one, if they decide every packet that their former content matched; else null. */
function shadowRules(policy: Policy, { differences, applied }: AdoptPlace, { rules }: Content): SecurityRule[] | null {
  const positions = differences.map((one) => {
    const before = applied.find(({ rule_hash }) => rule_hash === one.subject_key);
    const live = one.rules[0];
    if (one.kind !== 'edited' || !before || !live?.enable) return null;
    const same = (['proto', 'sport', 'dport', 'icmp-type'] as const).every(
      (field) => (live[field] || undefined) === before.content[field],
    );
    return same ? (policy.rules.find(({ position }) => position === one.rule_position)?.position ?? null) : null;
  });
  if (positions.includes(null)) return null;
  const last = Math.max(...positions.map(Number));
  return rules.filter(({ position }) => position <= last);
}

/**
 * The edits that make differences the policy's content: for all its workloads, or as exceptions for those where they are. The policy
 * itself is edited once at most. An exception is offered only where it is exact. Where the policy names the workload, the workload is
 * taken out of the policy and gets a copy of it with the differences. Where a group, a tag or `any` puts the policy there, only
 * another action or log level can be an exception: the edited rules, and those before them, in a policy that is evaluated directly
 * before.
 */
export function buildAdoptEdits({ policy, places, resolve }: AdoptInput, as: 'policy' | 'exception'): Adopted {
  let at = 0;
  let content: Content = { rules: policy.rules, definition: policy.definition as PolicyDefinition };
  const exceptions: ReturnType<typeof toExceptionEdit>[] = [];
  const excluded: AdoptPlace[] = [];
  try {
    for (const [index, place] of places.entries()) {
      at = index;
      const adopted = adoptContent(policy, place);
      if (as === 'policy') {
        content = mergeContents(policy, content, adopted);
        continue;
      }
      if (policy.definition.direction === 'both') {
        throw new Refusal(
          'A policy for both directions is also about the peers of the workload, so it has no exceptions.',
        );
      }
      const definition = excludeWorkload(content.definition, place, resolve);
      if (definition) {
        content = { ...content, definition };
        excluded.push(place);
        exceptions.push(toExceptionEdit(policy, adopted, place));
        continue;
      }
      const rules = shadowRules(policy, place, adopted);
      if (!rules) {
        throw new Refusal(
          'The policy acts on this workload through a group, a tag or any, or has no other workload, so this difference cannot be an exact exception. Name the workload in the policy, or adopt the difference for all workloads.',
        );
      }
      const shadow = { rules, definition: { ...adopted.definition, default_action: 'none' as const } };
      exceptions.push(toExceptionEdit(policy, shadow, place));
    }
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error.message, place: at };
    throw error;
  }
  const edited = as === 'policy' ? places : excluded;
  return { edits: [...(edited.length > 0 ? [toPolicyEdit(policy, content, edited)] : []), ...exceptions] };
}
