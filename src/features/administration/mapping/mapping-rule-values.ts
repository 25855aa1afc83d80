import { DEFAULT_MAPPING_PRIORITY } from '@/domain/choices';
import type { MappingRule, MappingSource } from '@/domain/mapping-rule';
import type { Option } from '@/ui/option';

/** What the form holds. */
export type MappingRuleValues = {
  source: MappingSource;
  value: string;
  cluster_id: string | null;
  project: Option | null;
  priority: number | null;
  enabled: boolean;
  description: string;
};

export const EMPTY_RULE: MappingRuleValues = {
  source: 'pool',
  value: '',
  cluster_id: null,
  project: null,
  priority: DEFAULT_MAPPING_PRIORITY,
  enabled: true,
  description: '',
};

export function toMappingRuleValues(rule: MappingRule): MappingRuleValues {
  const { source, value, cluster_id, priority, enabled, description } = rule;
  const project = { value: rule.project_id, label: rule.project_name, description: rule.tenant_name };
  return { source, value, cluster_id, project, priority, enabled, description };
}

/** The form's values as the service takes them; whether they are complete is for the schema to say. */
export function toRuleInput({ project, ...values }: MappingRuleValues) {
  return { ...values, project_id: project?.value ?? '' };
}
