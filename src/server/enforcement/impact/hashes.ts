import { createHash } from 'node:crypto';
import type { ImpactChange } from '@/domain/impact/stored-impact';
import { canonicalJson } from '../../audit/canonical';
import type { InputPolicy } from '../queries/policy-inputs';

export const sha256 = (value: unknown): string =>
  createHash('sha256')
    .update(canonicalJson(JSON.parse(JSON.stringify(value))))
    .digest('base64url');

/**
 * Hash of what was read, or planned from it. The same in the same order of fields only, as the database and the planner write it:
 * sorting the fields of thousands of rules would take longer than planning them.
 */
export const stateHash = (state: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(state) ?? '')
    .digest('base64url');

/** Hash of everything that determines what a policy requires; names, descriptions and versions do not. */
export const contentHash = ({ definition, rules, priority, tier, tenant_id, project_id }: InputPolicy): string =>
  sha256({
    definition,
    priority,
    tier,
    tenant_id,
    project_id,
    rules: [...rules].sort((a, b) => a.position - b.position).map((rule) => RULE_FIELDS.map((name) => rule[name])),
  });

/** Hash of everything that determines what is deployed of a policy, or of a change. */
export const hashImpactContent = (change: ImpactChange): string =>
  'items' in change ? sha256(change.items) : contentHash(change.policy);

const RULE_FIELDS = [
  'action',
  'protocol',
  'destination_ports',
  'source_ports',
  'icmp_type',
  'enabled',
  'log',
] as const satisfies readonly (keyof InputPolicy['rules'][number])[];
