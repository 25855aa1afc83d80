import type { Reach } from '@/domain/permissions';
import { DEFAULT_VISIBILITY, defaultTier } from '@/domain/policy/tier';
import type { DraftInput, PolicyPreview, PreviewInput } from '@/domain/policy-preview';
import type { Scope } from '../../../auth/scope';
import { db } from '../../../db/client';
import { clock } from '../../../lib/clock';
import { notFound } from '../../../lib/refusals';
import { changeOwner, chooseOwner } from '../../../tenancy/choose-owner';
import { pinPolicyGroups } from '../../groups/pin-groups';
import { ownConnectionsAfter } from '../../own-connections/own-connections';
import { describeFailing, findFailingTests } from '../../policy-tests/tests-after';
import { findPolicy } from '../../queries/policies';
import type { InputPolicy } from '../../queries/policy-inputs';
import { assertRulesFit, assertTier } from '../change-policy';
import type { FirewallState } from '../firewall-state/firewall-state';
import { readFirewallState } from '../firewall-state/read-firewall-state';
import { mergeTemporaryLogs, planTemporaryLogs } from '../plan-temporary-logs';
import { computeApplyChange, listApplyPlaces, readUnrestored } from '../planned-change';
import { compileLogged } from '../policy-inputs';
import { previewWithInputs, type TestsOfPreview } from './preview-inputs';

/** Policy tests and Fabric's own connections on the guests as they were just read, and everything else as last read. @param reach null: none are visible */
const testsFor =
  (firewall: FirewallState, reach: Reach | null): TestsOfPreview =>
  async ({ inputs, policy, places, guests }) => {
    const snapshots = { ...firewall.snapshots, guests: new Map([...firewall.snapshots.guests, ...guests]) };
    const after = await computeApplyChange({ inputs, snapshots }, policy, places);
    const { tests, hidden } = await describeFailing(await findFailingTests(after, [policy]), reach);
    const own_connections = await ownConnectionsAfter(after, reach);
    return { own_connections, failing_tests: tests, hidden_failing_tests: hidden };
  };

/**
 * A stored policy, and the same with changes. The caller has to check that the reader sees it.
 * @throws AppError `not_found`, and what `changeOwner` throws
 */
export async function changedPolicy(
  scope: Scope<'policy:read'>,
  firewall: FirewallState,
  id: string,
  { definition, rules, priority, tier, project_id }: PreviewInput,
): Promise<{ stored: InputPolicy; policy: InputPolicy }> {
  const stored = firewall.inputs.policies.find((policy) => policy.id === id);
  if (!stored) throw notFound('policy');
  const moves = project_id !== undefined && project_id !== stored.project_id;
  const owner = moves ? await db.transaction((tx) => changeOwner(tx, scope.reach, stored, project_id)) : stored;
  const changed =
    moves || definition !== undefined || rules !== undefined || priority !== undefined || tier !== undefined;
  const policy = {
    ...stored,
    project_id: owner.project_id,
    ...(definition && { definition: await pinPolicyGroups(db, stored, definition) }),
    ...(rules && { rules: rules.map((rule, position) => ({ ...rule, position })) }),
    ...(priority !== undefined && { priority }),
    ...(tier !== undefined && { tier }),
    // What is not saved would be the next version.
    version: changed ? stored.version + 1 : stored.version,
  };
  assertTier(policy.tenant_id, policy);
  if (rules) assertRulesFit(rules);
  return { stored, policy };
}

/**
 * What applying a policy would do now; with changes to it, what applying would do if these were saved.
 * @throws AppError `not_found`, and what `changeOwner` throws
 */
export async function previewPolicy(
  scope: Scope<'policy:read'>,
  id: string,
  input: PreviewInput,
  tests: Reach | null = null,
): Promise<PolicyPreview> {
  if (!(await findPolicy(db, scope.reach, id))) throw notFound('policy');
  const firewall = await readFirewallState();
  const { policy } = await changedPolicy(scope, firewall, id, input);
  const places = listApplyPlaces(firewall, id, await readUnrestored(firewall.inputs, [policy]));
  const level = input.log_new_rules ?? null;
  const logs = level === null ? [] : await planTemporaryLogs(level, compileLogged(firewall.inputs, [policy]), [id]);
  const inputs = mergeTemporaryLogs(firewall.inputs, logs);
  return previewWithInputs(inputs, policy, places, id, scope.reach, undefined, testsFor(firewall, tests));
}

/** Placeholder in markers of rules of a policy that has no id yet; no policy ever gets it. */
const DRAFT_ID = '00000000-0000-7000-8000-000000000000';

/** A policy that is not stored, as compiling needs it. @throws AppError `malformed` for a tenant or project that is not the caller's */
export async function draftPolicy(
  scope: Scope<'policy:read'>,
  { definition, rules, priority, tier: given, tenant_id, project_id }: DraftInput,
): Promise<InputPolicy> {
  const owner = await db.transaction((tx) => chooseOwner(tx, scope.reach, { tenant_id, project_id }));
  const tenant = owner.tenant_id;
  const tiered = { tier: given ?? defaultTier(tenant), tenant_visibility: DEFAULT_VISIBILITY };
  assertTier(tenant, tiered);
  assertRulesFit(rules);
  return {
    id: DRAFT_ID,
    name: '',
    enabled: true,
    version: 1,
    ...owner,
    ...tiered,
    priority,
    created_at: clock.now().toISOString(),
    definition: await pinPolicyGroups(db, owner, definition),
    rules: rules.map((rule, position) => ({ ...rule, position })),
  };
}

/** What applying a policy would do that is not stored yet. */
export async function previewDraft(
  scope: Scope<'policy:read'>,
  input: DraftInput,
  tests: Reach | null = null,
): Promise<PolicyPreview> {
  const policy = await draftPolicy(scope, input);
  const firewall = await readFirewallState();
  return previewWithInputs(firewall.inputs, policy, [], null, scope.reach, undefined, testsFor(firewall, tests));
}
