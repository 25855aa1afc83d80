import {
  findMappingValueError,
  MAX_MAPPING_RULES,
  type MappingRule,
  type MappingRuleInput,
  type MappingRuleUpdate,
} from '@/domain/mapping-rule';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { startDeployments } from '../enforcement/deployments/schedule';
import { publishEvent } from '../events/event-hub';
import { lockClusterForShare } from '../inventory/queries/clusters';
import { AppError } from '../lib/errors';
import { newId } from '../lib/ids';
import { assertVersion, changedFields, notFound } from '../lib/refusals';
import * as repository from '../tenancy/queries/mapping-rules';
import { lockProject } from '../tenancy/queries/projects';
import { placeByRules, recordPlacements } from './place';
import { lockMapping } from './queries/mapping-placements';

export const noSuchMappingRule = () => notFound('mapping rule');

type RuleFields = Pick<
  MappingRule,
  'source' | 'value' | 'cluster_id' | 'project_id' | 'priority' | 'enabled' | 'description'
>;
const audited = ({ source, value, cluster_id, project_id, priority, enabled, description }: RuleFields) => ({
  source,
  value,
  cluster_id,
  project_id,
  priority,
  enabled,
  description,
});
const formatRuleName = ({ source, value }: RuleFields) => `${source} ${value}`;

/** @throws AppError `not_found` */
export async function readMappingRule(_scope: Scope<'mapping:read'>, id: string): Promise<MappingRule> {
  const rule = await repository.findMappingRule(db, id);
  if (!rule) throw noSuchMappingRule();
  return rule;
}

/** That the rule can exist: its project and cluster do, and no other rule says the same. */
async function check(tx: Tx, rule: RuleFields, exceptId: string | null): Promise<void> {
  const refuse = (code: 'malformed' | 'not_found' | 'conflict', text: string, field: string, message: string) =>
    new AppError(code, text, { errors: [{ field, message }] });
  const wrong = findMappingValueError(rule.source, rule.value);
  if (wrong) throw refuse('malformed', 'Proxmox VE does not allow this value.', 'value', wrong);
  if (!(await lockProject(tx, 'all', rule.project_id, 'key share'))) {
    throw refuse('not_found', 'Project not found.', 'project_id', 'Choose another project.');
  }
  if (rule.cluster_id !== null && !(await lockClusterForShare(tx, rule.cluster_id))) {
    throw refuse('not_found', 'Cluster not found.', 'cluster_id', 'Choose another cluster.');
  }
  await lockMapping(tx);
  if (await repository.findDuplicateRule(tx, rule, exceptId)) {
    throw refuse('conflict', `A rule for this ${rule.source} already exists.`, 'value', 'Change that rule instead.');
  }
}

async function stored(tx: Tx, id: string): Promise<MappingRule> {
  const rule = await repository.findMappingRule(tx, id);
  if (!rule) throw new Error('expected the stored mapping rule to exist');
  return rule;
}

/**
 * Stores a rule and applies it immediately.
 * @throws AppError `not_found` for its project or cluster, `conflict` when there is one for the same pool or tag there
 */
export async function createMappingRule(scope: Scope<'mapping:write'>, input: MappingRuleInput): Promise<MappingRule> {
  const { rule, started } = await db.transaction(async (tx) => {
    await check(tx, input, null);
    if ((await repository.countMappingRules(tx)) >= MAX_MAPPING_RULES) {
      throw new AppError('refused', `There are already ${MAX_MAPPING_RULES} mapping rules, the maximum.`);
    }
    const id = newId();
    await repository.insertMappingRule(tx, { id, ...input });
    await publishEvent(tx, { type: 'mapping_rule.changed' });
    const moved = await placeByRules(tx);
    await recordAudit(tx, scope, {
      action: 'mapping_rule.created',
      object_kind: 'mapping_rule',
      object_id: id,
      object_name: formatRuleName(input),
      after: audited(input),
    });
    return { started: await recordPlacements(tx, scope, moved), rule: await stored(tx, id) };
  });
  await startDeployments(started);
  return rule;
}

/**
 * Changes a rule and applies it immediately; omitted fields stay. Without a change nothing is written.
 * @throws AppError `not_found`, `version_conflict`, `malformed`, `conflict`
 */
export async function updateMappingRule(
  scope: Scope<'mapping:write'>,
  id: string,
  { version, ...input }: MappingRuleUpdate,
): Promise<MappingRule> {
  const { rule, started } = await db.transaction(async (tx) => {
    const known = await repository.findMappingRule(tx, id);
    if (!known) throw noSuchMappingRule();
    await check(tx, { ...known, ...input }, id);
    const row = await repository.lockMappingRule(tx, id);
    if (!row) throw noSuchMappingRule();
    assertVersion('mapping rule', row.version, version);
    const changes = changedFields(row, input);
    if (Object.keys(changes).length === 0) return { started: [], rule: await stored(tx, id) };
    await repository.updateMappingRule(tx, id, { ...changes, version: row.version + 1 });
    await publishEvent(tx, { type: 'mapping_rule.changed' });
    const moved = await placeByRules(tx);
    const next = { ...row, ...changes };
    await recordAudit(tx, scope, {
      action: 'mapping_rule.updated',
      object_kind: 'mapping_rule',
      object_id: id,
      object_name: formatRuleName(next),
      before: audited(row),
      after: audited(next),
    });
    return { started: await recordPlacements(tx, scope, moved), rule: await stored(tx, id) };
  });
  await startDeployments(started);
  return rule;
}

/**
 * Deletes a rule. What it had put somewhere goes where the other rules want it, or out of its project.
 * @throws AppError `not_found`
 */
export async function deleteMappingRule(scope: Scope<'mapping:write'>, id: string, version?: number): Promise<void> {
  const started = await db.transaction(async (tx) => {
    await lockMapping(tx);
    const row = await repository.lockMappingRule(tx, id);
    if (!row) throw noSuchMappingRule();
    assertVersion('mapping rule', row.version, version);
    await repository.deleteMappingRuleRow(tx, id);
    await publishEvent(tx, { type: 'mapping_rule.changed' });
    const moved = await placeByRules(tx);
    await recordAudit(tx, scope, {
      action: 'mapping_rule.deleted',
      object_kind: 'mapping_rule',
      object_id: id,
      object_name: formatRuleName(row),
      before: audited(row),
    });
    return recordPlacements(tx, scope, moved);
  });
  await startDeployments(started);
}
