import {
  MappingConflictListInput,
  MappingConflictPage,
  MappingPreview,
  MappingPreviewInput,
  MappingRule,
  MappingRuleInput,
  MappingRuleListInput,
  MappingRulePage,
  MappingRuleUpdate,
} from '@/domain/mapping-rule';
import {
  createMappingRule,
  deleteMappingRule,
  readMappingRule,
  updateMappingRule,
} from '../../placement/mapping-rules';
import { previewMappingRule } from '../../placement/preview';
import { listMappingConflicts } from '../../placement/queries/mapping-placements';
import { listMappingRules } from '../../tenancy/queries/mapping-rules';
import { ByVersion, operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Administration');

export const mappingRulesRouter = router({
  list: query({
    rest: 'GET /mapping-rules',
    summary: 'List mapping rules, which assign the workloads of a pool or with a tag to a project.',
    access: { permission: 'mapping:read' },
    input: MappingRuleListInput,
    output: MappingRulePage,
    run: ({ input }) => listMappingRules(input),
  }),
  create: mutation({
    rest: 'POST /mapping-rules',
    summary: 'Create a mapping rule and apply it. Manually assigned workloads do not move.',
    access: { permission: 'mapping:write' },
    input: MappingRuleInput,
    output: MappingRule,
    status: 201,
    run: ({ scope, input }) => createMappingRule(scope, input),
  }),
  conflicts: query({
    rest: 'GET /mapping-rules/conflicts',
    summary:
      'List workloads that several mapping rules match for different projects. The first rule of each workload applies.',
    access: { permission: 'mapping:read' },
    input: MappingConflictListInput,
    output: MappingConflictPage,
    run: ({ input }) => listMappingConflicts(input),
  }),
  preview: query({
    rest: 'POST /mapping-rules/preview',
    summary:
      'Preview which workloads would move if a rule were stored, or the rule rule_id deleted. Nothing is changed.',
    access: { permission: 'mapping:read' },
    input: MappingPreviewInput,
    output: MappingPreview,
    run: ({ scope, input }) => previewMappingRule(scope, input),
  }),
  get: query({
    rest: 'GET /mapping-rules/{mapping_rule_id}',
    summary: 'Get one mapping rule.',
    access: { permission: 'mapping:read' },
    output: MappingRule,
    run: ({ scope, params }) => readMappingRule(scope, params.mapping_rule_id),
  }),
  update: mutation({
    rest: 'PATCH /mapping-rules/{mapping_rule_id}',
    summary: 'Update a mapping rule and apply it. If-Match or version prevents lost updates.',
    access: { permission: 'mapping:write' },
    input: MappingRuleUpdate,
    output: MappingRule,
    run: ({ scope, params, input }) => updateMappingRule(scope, params.mapping_rule_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /mapping-rules/{mapping_rule_id}',
    summary:
      'Delete a mapping rule. Its workloads move to the project of another matching rule, or out of the project.',
    access: { permission: 'mapping:write' },
    input: ByVersion,
    run: ({ scope, params, input }) => deleteMappingRule(scope, params.mapping_rule_id, input.version),
  }),
});
