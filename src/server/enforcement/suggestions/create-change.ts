import type { Change } from '@/domain/change/change';
import { ChangeCreate } from '@/domain/change/change';
import type { ChangeEdit, ChangeItem } from '@/domain/change/items';
import type { ChangeState } from '@/domain/change/states';
import { MAX_CHANGE_ITEMS } from '@/domain/choices';
import type { ImpactReader } from '@/domain/impact/stored-impact';
import { type Owned, toOwner } from '@/domain/permissions';
import { type PolicyTestInput, PolicyTestInput as PolicyTestSchema } from '@/domain/policy-tests/definition';
import type { Suggested, SuggestedPolicy } from '@/domain/suggestion/draft';
import { createNames } from '@/domain/suggestion/name-groups';
import type { SuggestionApply } from '@/domain/suggestion/suggestion';
import { authorize, type Scope, type Session } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { AppError } from '../../lib/errors';
import { assertVersion, refuseField } from '../../lib/refusals';
import { insertDraft } from '../changes/draft/create-change';
import { normalizeItems } from '../changes/draft/normalize-items';
import { readChange } from '../changes/read-change';
import { requestItemsImpact } from '../impact/request-impact';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { storePolicyTest } from '../policy-tests/policy-tests';
import { type ChangeRow, findChange } from '../queries/changes';
import { listPolicyTestNames } from '../queries/policy-tests';
import { lockSuggestion, type SuggestionRow, updateSuggestion } from '../queries/suggestions';
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

/** States of a change of which nothing is left. */
const WITHOUT_EFFECT: readonly ChangeState[] = ['rejected', 'withdrawn', 'rolled_back'];

type Created = { readonly row: SuggestionRow; readonly change: ChangeRow };

/** The change that this draft has become already; null: none, or nothing of it is left. */
async function findCreated(tx: Tx, { change_id }: SuggestionRow): Promise<ChangeRow | null> {
  const change = change_id === null ? null : await findChange(tx, 'all', change_id);
  return change && !WITHOUT_EFFECT.includes(change.state) ? change : null;
}

/** Creates the change, and the tests. */
async function insertChange(
  tx: Tx,
  scope: Scope<'policy:write'>,
  session: Session,
  row: SuggestionRow,
  { title, with_tests }: SuggestionApply,
  firewall: FirewallState,
): Promise<ChangeRow> {
  const tests = with_tests ? authorize(session, 'policy_test:write') : null;
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
  await updateSuggestion(tx, row.id, { change_id: change.id, impact_id: null });
  return change;
}

/**
 * A change with the groups and policies of the draft, in audit mode: applying it enforces nothing. Its impact is computed as if they
 * were enforced. Called again for the same draft, it returns the same change, and requests an impact that is still missing.
 * @throws AppError `not_found`, `version_conflict`, `conflict` while it is computed or a name is taken, `refused` for too many edits,
 *   `forbidden` without `group:write`, or with tests without `policy_test:write`
 */
export async function createSuggestedChange(
  scope: Scope<'policy:write'>,
  session: Session,
  reader: ImpactReader,
  id: string,
  input: SuggestionApply,
): Promise<Change> {
  const firewall = await readFirewallState();
  const { row, change } = await db.transaction(async (tx): Promise<Created> => {
    const row = await findVisibleSuggestion(scope, reader, id, (_, one) => lockSuggestion(tx, one));
    assertVersion('suggestion', row.version, input.version);
    assertComputed(row);
    const created = await findCreated(tx, row);
    if (created) return { row, change: created };
    const change = await insertChange(tx, scope, session, row, input, firewall);
    return { row: { ...row, impact_id: null }, change };
  });
  if (row.impact_id === null) {
    const impact = await requestItemsImpact(reader, change.title, enforceItems(change.items));
    await updateSuggestion(db, id, { impact_id: impact.id });
  }
  return readChange(scope, session, change.id);
}
