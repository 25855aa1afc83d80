import type { Change } from '@/domain/change/change';
import type { ChangeItem } from '@/domain/change/items';
import { MAX_CHANGE_ITEMS } from '@/domain/choices';
import type { ImpactReader } from '@/domain/impact/stored-impact';
import type { ManagedBy } from '@/domain/managed-source';
import { isWithinReach, type Reach } from '@/domain/permissions';
import { writePolicyFile } from '@/domain/policy-file/document';
import type {
  PolicyFileChangeInput,
  PolicyFileExport,
  PolicyFileExportInput,
  PolicyFilePlan,
  PolicyFilePlanInput,
} from '@/domain/policy-file/plan';
import type { Scope, Session } from '../../auth/scope';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import { type CompiledChange, compileChange, listRequirements } from '../changes/compiled/compile-change';
import { describeChangeDifference } from '../changes/compiled/read-difference';
import { createChange } from '../changes/draft/create-change';
import { normalizeItems } from '../changes/draft/normalize-items';
import { sha256 } from '../impact/hashes';
import { requestItemsImpact } from '../impact/request-impact';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { TestInputs } from '../policy-tests/test-inputs';
import { applyTestItems } from '../policy-tests/tests-after';
import { listAllPolicyTests } from '../queries/policy-tests';
import { FileOwners } from './file-owners';
import { type FileEdit, narrowReach, readOperations } from './read-operations';
import { type FileReach, readStoredEntries } from './stored-entries';

/** What the caller may read, and write. */
export type FileScopes = {
  readonly reach: FileReach;
  readonly write: Scope<'policy:write'>;
  readonly session: Session;
  readonly impact: ImpactReader;
};

/** Tests that do not pass which a plan lists. */
const MAX_LISTED_TESTS = 200;

/** The stored policies, groups and policy tests as a document. @throws AppError `not_found` for the tenant, `conflict` */
export async function exportPolicyFile(reach: FileReach, { tenant }: PolicyFileExportInput): Promise<PolicyFileExport> {
  const { inputs } = await readFirewallState();
  const owners = await FileOwners.read(db, reach.policies);
  const stored = await readStoredEntries(db, narrowReach(reach, owners, tenant), owners, inputs);
  return writePolicyFile({
    version: 1,
    security_groups: stored.security_groups.map(({ entry }) => entry),
    policies: stored.policies.map(({ entry }) => entry),
    policy_tests: stored.policy_tests.map(({ entry }) => entry),
  });
}

/** @throws AppError `refused` when one change cannot hold all edits */
function assertOneChange(edits: readonly FileEdit[]): void {
  if (edits.length <= MAX_CHANGE_ITEMS) return;
  throw new AppError(
    'refused',
    `This needs ${edits.length} edits, and a change has at most ${MAX_CHANGE_ITEMS}. Apply it in parts, such as one tenant at a time (--tenant), or fewer objects first.`,
    { extra: { reason: 'too_many_edits', edits: edits.length } },
  );
}

/** Names the field of the document that an edit comes from, instead of the edit. */
function translateErrors(error: unknown, edits: readonly FileEdit[]): unknown {
  if (!(error instanceof AppError) || !error.errors) return error;
  const errors = error.errors.map(({ field, message }) => {
    const [, number = '', rest = ''] = /^items\.(\d+)(?:\.(?:policy|group|test)\b)?\.?(.*)$/.exec(field) ?? [];
    const operation = number === '' ? undefined : edits[Number(number)]?.operation;
    if (!operation || operation.at === null) return { field, message };
    return { field: `document.${operation.list}.${operation.at}${rest && `.${rest}`}`, message };
  });
  const { code, extra, message } = error;
  return new AppError(code, message, { errors, ...(extra && { extra }) });
}

const normalize = (
  { write, session }: FileScopes,
  edits: readonly FileEdit[],
  managed_by: ManagedBy | null,
): Promise<ChangeItem[]> =>
  db
    .transaction((tx) =>
      normalizeItems(
        { tx, scope: write, session, former: [], managed_by, isFile: true },
        edits.map(({ item }) => item),
      ),
    )
    .then(({ items }) => items)
    .catch((error: unknown) => {
      throw translateErrors(error, edits);
    });

type Planned = Pick<PolicyFilePlan, 'operations' | 'plan_hash'>;

/** What is required of workloads, and how they filter before and after. A policy that is created has another ID in each plan. */
function describeResult({ inputs, touched, differing, change }: CompiledChange) {
  const requirements = listRequirements(inputs, touched).map(([, ...required], at) => {
    const { tenant_id = null, project_id = null, name = '' } = touched[at]?.policy ?? {};
    return JSON.stringify([tenant_id, project_id, name, ...required]);
  });
  return [requirements.sort(), differing, [...change.unreadable].sort()];
}

function describeOperations(edits: readonly FileEdit[], compiled: CompiledChange): Planned {
  const distinct = [...new Set(edits.map(({ operation }) => operation))];
  const operations = distinct.map(({ list, action, entry, fields }) => ({
    ...{ kind: list, action, name: entry.name, tenant: entry.tenant, project: entry.project },
    fields: fields.filter(({ field }) => !['name', 'tenant', 'project'].includes(field)),
  }));
  const versions = distinct.map(({ stored }) => stored && [stored.id, stored.version]);
  return { operations, plan_hash: sha256([operations, versions, describeResult(compiled)]) };
}

/** The results of the policy tests that the caller sees after the change. */
async function decideTests(
  { change }: CompiledChange,
  items: readonly ChangeItem[],
  reach: Reach,
  owners: FileOwners,
): Promise<PolicyFilePlan['tests']> {
  const after = new TestInputs(change.after);
  const totals = { pass: 0, fail: 0, unknown: 0 };
  const not_passing: PolicyFilePlan['tests']['not_passing'] = [];
  for (const test of applyTestItems(await listAllPolicyTests(db), items)) {
    if (!isWithinReach(test, reach)) continue;
    const { result, unknown_reason } = after.decide(test);
    totals[result] += 1;
    if (result === 'pass' || not_passing.length >= MAX_LISTED_TESTS) continue;
    not_passing.push({ name: test.name, ...owners.nameOf(test), result, unknown_reason, reason: test.reason });
  }
  return { totals, not_passing };
}

/**
 * What applying a document would do: to objects, rules, connections and tests. Nothing is stored.
 * @throws AppError as `readOperations` and `normalizeItems`, naming fields of the document; `refused` with too many edits
 */
export async function planPolicyFile(scopes: FileScopes, input: PolicyFilePlanInput): Promise<PolicyFilePlan> {
  const { inputs } = await readFirewallState();
  const { reach } = scopes;
  const { edits, owners } = await readOperations(reach, inputs, input);
  assertOneChange(edits);
  const items = edits.length === 0 ? [] : await normalize(scopes, edits, input.managed_by ?? null);
  const compiled = await compileChange(items);
  const planned = describeOperations(edits, compiled);
  const tests = await decideTests(compiled, items, reach.tests, owners);
  if (items.length === 0) return { ...planned, difference: null, impact: null, tests, unresolved: [] };
  const names = new Map(compiled.touched.map(({ policy }) => [policy.id, policy]));
  const unresolved = compiled.unresolved.flatMap(({ policy_id, endpoint, reason }) => {
    const policy = names.get(policy_id);
    return policy && isWithinReach(policy, reach.policies) ? [{ policy_name: policy.name, endpoint, reason }] : [];
  });
  return {
    ...planned,
    difference: describeChangeDifference(compiled, reach.policies).difference,
    impact: await requestItemsImpact(scopes.impact, 'Policy file', items),
    tests,
    unresolved,
  };
}

/**
 * Drafts the change that a plan describes.
 * @throws AppError as `planPolicyFile`; `conflict` when there is nothing to change, or when the plan would be another one by now
 */
export async function draftPolicyFileChange(
  scopes: FileScopes,
  { document, prune, tenant, managed_by, plan_hash, ...draft }: PolicyFileChangeInput,
): Promise<Change> {
  const { inputs } = await readFirewallState();
  const { edits } = await readOperations(scopes.reach, inputs, { document, prune, tenant, managed_by });
  if (edits.length === 0) {
    throw new AppError('conflict', 'Everything is as the document says already.', {
      extra: { reason: 'nothing_to_change' },
    });
  }
  assertOneChange(edits);
  if (plan_hash !== undefined) {
    const compiled = await compileChange(await normalize(scopes, edits, managed_by ?? null));
    if (plan_hash !== describeOperations(edits, compiled).plan_hash) {
      throw new AppError('conflict', 'Something was changed since the plan. Make the plan again.', {
        extra: { reason: 'plan_outdated' },
      });
    }
  }
  try {
    const items = edits.map(({ item }) => item);
    return await createChange(scopes.write, scopes.session, { ...draft, items, managed_by: managed_by ?? null }, true);
  } catch (error) {
    throw translateErrors(error, edits);
  }
}
