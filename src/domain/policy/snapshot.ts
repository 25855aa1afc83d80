import type { PolicySnapshot, SecurityRule, StoredSnapshot, VersionComparison } from '../policies';
import type { SecurityRuleInput } from './policy';
import { NO_RESPONSIBILITY, RESPONSIBILITY_FIELDS } from './responsibility';
import { DEFAULT_VISIBILITY, defaultTier } from './tier';

const CONTENT = [
  'action',
  'protocol',
  'destination_ports',
  'source_ports',
  'icmp_type',
  'log',
  'enabled',
  'comment',
  ...RESPONSIBILITY_FIELDS,
] as const satisfies readonly (keyof SecurityRuleInput)[];

export const isSameJson = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

type Content = Partial<Record<(typeof CONTENT)[number], unknown>>;
const EMPTY: Content = NO_RESPONSIBILITY;
/** Rules of earlier versions have no owner, ticket or expiry. */
const readField = (rule: Content, field: (typeof CONTENT)[number]): unknown => rule[field] ?? EMPTY[field];

/** What a rule says, wherever it stands. */
export const toRuleContentKey = (rule: Content) => JSON.stringify(CONTENT.map((field) => readField(rule, field)));

/**
 * Gives a new list of rules its places and ids: a rule whose content was there keeps that one's id, another one at the
 * same place keeps the id of the place, the rest are new.
 */
export function identifyRules(
  known: readonly SecurityRule[],
  given: readonly SecurityRuleInput[],
  newId: () => string,
): SecurityRule[] {
  const open = [...known];
  const take = (found: (rule: SecurityRule) => boolean) => {
    const at = open.findIndex(found);
    return at < 0 ? undefined : open.splice(at, 1)[0]?.id;
  };
  // An equal rule at the same place comes first, so that of two equal rules each keeps its own id.
  const ids: (string | undefined)[] = given.map((rule, position) =>
    take((candidate) => candidate.position === position && toRuleContentKey(candidate) === toRuleContentKey(rule)),
  );
  for (const [at, rule] of given.entries())
    ids[at] ??= take((candidate) => toRuleContentKey(candidate) === toRuleContentKey(rule));
  for (const [at] of given.entries()) ids[at] ??= take((candidate) => candidate.position === at);
  return given.map((rule, position) => ({
    id: ids[position] ?? newId(),
    position,
    ...(Object.fromEntries(CONTENT.map((field) => [field, rule[field]])) as SecurityRuleInput),
  }));
}

/** A version with everything that versions have by now: before tiers and owners, all policies had what is the default since. */
export const completeSnapshot = (tenantId: string | null, snapshot: StoredSnapshot): PolicySnapshot => ({
  ...NO_RESPONSIBILITY,
  ...snapshot,
  rules: snapshot.rules.map((rule) => ({ ...NO_RESPONSIBILITY, ...rule })),
  tier: snapshot.tier ?? defaultTier(tenantId),
  tenant_visibility: snapshot.tenant_visibility ?? DEFAULT_VISIBILITY,
});

/** What versions keep of a policy, without its rules. */
export const toPolicyFields = (policy: Omit<PolicySnapshot, 'rules'>): Omit<PolicySnapshot, 'rules'> => {
  const { name, description, enabled, tier, tenant_visibility, priority, definition } = policy;
  const { owner, ticket, expires_at } = policy;
  return { name, description, enabled, tier, tenant_visibility, priority, owner, ticket, expires_at, definition };
};

const FIELDS = [
  ...(['name', 'description', 'enabled', 'tier', 'priority', 'tenant_visibility'] as const),
  ...RESPONSIBILITY_FIELDS,
];
const DEFINITION = ['enforcement_mode', 'direction', 'sources', 'targets', 'default_action'] as const;

const readPolicyField = (snapshot: PolicySnapshot, field: (typeof FIELDS)[number]): unknown =>
  snapshot[field] ?? (EMPTY as Readonly<Record<string, unknown>>)[field];

/** All fields of a policy but its rules, by the path in which a comparison names them. */
export const listSnapshotFields = (snapshot: PolicySnapshot): { field: string; value: unknown }[] => [
  ...FIELDS.map((field) => ({ field, value: readPolicyField(snapshot, field) })),
  ...DEFINITION.map((field) => ({ field: `definition.${field}`, value: snapshot.definition[field] as unknown })),
];

/** Whether two snapshots say the same. */
export const isSameSnapshot = (a: PolicySnapshot, b: PolicySnapshot): boolean => {
  const { fields, rules } = compareSnapshots(a, b);
  return fields.length === 0 && rules.length === 0;
};

/** What differs, field by field and rule by rule. A rule that only stands elsewhere among the rules that stay is moved. */
export function compareSnapshots(
  before: PolicySnapshot,
  after: PolicySnapshot,
): Pick<VersionComparison, 'fields' | 'rules'> {
  const former = listSnapshotFields(before);
  const fields = listSnapshotFields(after)
    .map(({ field, value }, at) => ({ field, before: former[at]?.value, after: value }))
    .filter((item) => !isSameJson(item.before, item.after));
  const old = new Map(before.rules.map((rule) => [rule.id, rule]));
  const fresh = new Set(after.rules.map(({ id }) => id));
  const staying = before.rules.filter(({ id }) => fresh.has(id)).map(({ id }) => id);
  const stayingNow = after.rules.filter(({ id }) => old.has(id)).map(({ id }) => id);
  const rules: VersionComparison['rules'] = [];
  for (const rule of after.rules) {
    const known = old.get(rule.id);
    if (!known) {
      rules.push({ id: rule.id, change: 'added', before: null, after: rule, fields: [] });
      continue;
    }
    const differing: string[] = CONTENT.filter((field) => !isSameJson(readField(known, field), readField(rule, field)));
    const moved = staying.indexOf(rule.id) !== stayingNow.indexOf(rule.id);
    if (differing.length === 0 && !moved) continue;
    const change = differing.length > 0 ? 'changed' : 'moved';
    rules.push({
      id: rule.id,
      change,
      before: known,
      after: rule,
      fields: moved ? [...differing, 'position'] : differing,
    });
  }
  for (const rule of before.rules) {
    if (!fresh.has(rule.id)) rules.push({ id: rule.id, change: 'removed', before: rule, after: null, fields: [] });
  }
  return { fields, rules };
}
