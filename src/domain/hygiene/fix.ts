import type { PolicySnapshot } from '../policies';
import type { FindingDetail, HygieneFinding } from './finding';

type Fixed = Pick<HygieneFinding, 'kind' | 'rule_id' | 'subject'> & { readonly detail: FindingDetail };
type Content = Pick<PolicySnapshot, 'definition' | 'rules'>;

/** Kinds whose rule is removed: it decides nothing, or nothing that would be missed. */
const REMOVED: readonly HygieneFinding['kind'][] = ['shadowed', 'redundant', 'unused', 'expired'];

/** Whether a change of the policy alone fixes a finding. */
export function isFixable({ kind, rule_id, detail }: Fixed): boolean {
  if (REMOVED.includes(kind)) return rule_id !== null || kind === 'expired';
  if (kind === 'broad') return rule_id !== null ? (detail.used ?? []).length > 0 : detail.side !== undefined;
  return kind === 'unresolved';
}

/** The endpoints of one side without some; null: none would be left, and a policy has at least one. */
function withoutEndpoints(content: Content, side: 'source' | 'target', endpoints: readonly string[]): Content | null {
  const field = side === 'source' ? 'sources' : 'targets';
  const left = content.definition[field].filter((endpoint) => !endpoints.includes(endpoint));
  if (left.length === 0) return null;
  return { ...content, definition: { ...content.definition, [field]: left } };
}

/**
 * The content of a policy without what a finding is about. Null: no content of it is, so that the policy itself is superfluous.
 * @throws RangeError for a finding that is not fixable
 */
export function fixPolicy(content: Content, finding: Fixed): Content | null {
  const { kind, rule_id, subject, detail } = finding;
  if (!isFixable(finding)) throw new RangeError('expected a finding that can be fixed');
  if (kind === 'unresolved') return withoutEndpoints(content, detail.side ?? 'source', [subject]);
  if (kind === 'broad' && rule_id === null) {
    return withoutEndpoints(content, detail.side ?? 'source', detail.unused ?? []);
  }
  if (kind === 'broad') {
    const destination_ports = [...(detail.used ?? [])];
    return {
      ...content,
      rules: content.rules.map((rule) => (rule.id === rule_id ? { ...rule, destination_ports } : rule)),
    };
  }
  if (rule_id === null) return null;
  const rules = content.rules.filter((rule) => rule.id !== rule_id);
  return { ...content, rules: rules.map((rule, position) => ({ ...rule, position })) };
}
