import type { Change } from '@/domain/change/change';
import { ChangeCreate } from '@/domain/change/change';
import type { ChangeEdit, ChangeItem } from '@/domain/change/items';
import { MAX_CHANGE_ITEMS } from '@/domain/choices';
import type { ImpactReader } from '@/domain/impact/stored-impact';
import { type Owned, toOwner } from '@/domain/permissions';
import { type PolicyTestInput, PolicyTestInput as PolicyTestSchema } from '@/domain/policy-tests/definition';
import type { Suggested, SuggestedPolicy } from '@/domain/suggestion/draft';
import { createNames } from '@/domain/suggestion/name-groups';
import type { SuggestionApply } from '@/domain/suggestion/suggestion';
import { authorize, type Scope, type Session } from '../../auth/scope';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import { assertVersion, refuseField } from '../../lib/refusals';
import { insertDraft } from '../changes/draft/create-change';
import { normalizeItems } from '../changes/draft/normalize-items';
import { readChange } from '../changes/read-change';
import { requestItemsImpact } from '../impact/request-impact';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { storePolicyTest } from '../policy-tests/policy-tests';
import { listPolicyTestNames } from '../queries/policy-tests';
import { lockSuggestion, updateSuggestion } from '../queries/suggestions';
import { assertComputed } from './edit-suggestion';
import { findVisibleSuggestion, readDraft } from './read-suggestion';

const MAX_TEST_NAME = 100;

/** The edits that a draft is: groups that do not exist yet, then policies in audit mode. */
function listEdits(owner: Owned, { groups, policies }: Suggested): ChangeEdit[] {
  const of = owner.tenant_id === null ? {} : owner;
  const used = new Set(policies.flatMap(({ definition }) => [...definition.sources, ...definition.targets]));
  const created = groups.filter(({ kind, endpoint }) => kind === 'new' && used.has(endpoint));
  const parsed = ChangeCreate.shape.items.safeParse([
    ...created.map(({ name, workload_ids }) => ({
      kind: 'group',
      group: { name, description: 'Suggested from conversations.', workload_ids: [...workload_ids], ...of },
    })),
    ...policies.map(({ name, definition, rules }) => ({
      kind: 'policy',
      policy: { name, definition, rules: rules.map(({ rule }) => rule), ...of },
    })),
  ]);
  if (parsed.success) return parsed.data.filter((edit) => edit.kind !== 'adopt');
  const [issue] = parsed.error.issues;
  throw refuseField('groups', issue?.message ?? 'The draft is not valid. Choose other groups.');
}

/** One test for each rule between workloads: it was seen, so it must stay allowed. */
function listTests(
  owner: Owned,
  policies: readonly SuggestedPolicy[],
  create: (name: string) => string,
): PolicyTestInput[] {
  const isBetween = ({ kind }: SuggestedPolicy) => kind === 'traffic' || kind === 'infrastructure';
  return policies.filter(isBetween).flatMap(({ name, definition, rules }) => {
    // A test knows no types of ICMP: it would assert more than what was seen.
    const byProtocol = new Map<string, string[]>();
    for (const { rule } of rules) {
      if (rule.icmp_type !== null) continue;
      byProtocol.set(rule.protocol, [...(byProtocol.get(rule.protocol) ?? []), ...rule.destination_ports]);
    }
    return [...byProtocol].map(([protocol, ports]) =>
      PolicyTestSchema.parse({
        name: create(byProtocol.size > 1 ? `${name} (${protocol})` : name),
        expect: 'allow',
        from: definition.sources,
        to: definition.targets,
        ...{ protocol, ports },
        reason: 'Seen in conversations.',
        ...(owner.tenant_id === null ? {} : owner),
      }),
    );
  });
}

/** The same edits as if the policies were enforced: what the change is for. */
const enforceItems = (items: readonly ChangeItem[]): ChangeItem[] =>
  items.map((item) =>
    item.kind === 'policy'
      ? { ...item, after: { ...item.after, definition: { ...item.after.definition, enforcement_mode: 'enforced' } } }
      : item,
  );

/**
 * A change with the groups and policies of the draft, in audit mode: applying it enforces nothing. Its impact is computed as if they
 * were enforced.
 * @throws AppError `not_found`, `version_conflict`, `conflict` while it is computed or a name is taken, `refused` for too many edits,
 *   `forbidden` without `group:write`, or with tests without `policy_test:write`
 */
export async function createSuggestedChange(
  scope: Scope<'policy:write'>,
  session: Session,
  reader: ImpactReader,
  id: string,
  { title, with_tests, version }: SuggestionApply,
): Promise<Change> {
  const tests = with_tests ? authorize(session, 'policy_test:write') : null;
  const firewall = await readFirewallState();
  const stored = await db.transaction(async (tx) => {
    const row = await findVisibleSuggestion(scope, reader, id, (_, one) => lockSuggestion(tx, one));
    assertVersion('suggestion', row.version, version);
    assertComputed(row);
    const read = await readDraft(row);
    const owner = toOwner(row);
    if (!read || read.draft.policies.length === 0) {
      throw new AppError(
        'refused',
        'The draft has no policies: no conversation that a rule could be written for was seen.',
      );
    }
    const edits = listEdits(owner, read.draft);
    if (edits.length > MAX_CHANGE_ITEMS) {
      throw refuseField(
        'tightness',
        `The draft has ${edits.length} groups and policies, and a change at most ${MAX_CHANGE_ITEMS}. Choose fewer, broader rules or a smaller scope.`,
      );
    }
    const { items, owners } = await normalizeItems({ tx, scope, session, former: [] }, edits);
    const settings = ChangeCreate.omit({ items: true }).parse({
      title: title ?? `Suggested policies for ${row.scope_name}`.slice(0, 120),
      description: `From conversations from ${row.since} to ${row.until}.`,
    });
    const change = await insertDraft(tx, scope, settings, items, owners);
    if (tests) {
      const create = createNames(await listPolicyTestNames(tx, owner), MAX_TEST_NAME);
      for (const test of listTests(owner, read.draft.policies, create)) {
        await storePolicyTest(tx, tests, firewall, test);
      }
    }
    await updateSuggestion(tx, id, { change_id: change.id });
    return { change_id: change.id, title: change.title, items };
  });
  const impact = await requestItemsImpact(reader, stored.title, enforceItems(stored.items));
  await updateSuggestion(db, id, { impact_id: impact.id });
  return readChange(scope, session, stored.change_id);
}
