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
  listConflicts,
  listMappingRules,
  readMappingRule,
  updateMappingRule,
} from '../../placement/mapping-rules';
import { previewMappingRule } from '../../placement/preview';
import { operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Administration');

export const mappingRulesRouter = router({
  list: query({
    rest: 'GET /mapping-rules',
    summary: 'Rules that give the workloads of a pool, or with a tag, to a project.',
    access: { permission: 'mapping:read' },
    input: MappingRuleListInput,
    output: MappingRulePage,
    run: ({ scope, input }) => listMappingRules(scope, input),
  }),
  create: mutation({
    rest: 'POST /mapping-rules',
    summary: 'Create a mapping rule and carry it out. Workloads assigned by hand stay where they are.',
    access: { permission: 'mapping:write' },
    input: MappingRuleInput,
    output: MappingRule,
    status: 201,
    run: ({ scope, input }) => createMappingRule(scope, input),
  }),
  conflicts: query({
    rest: 'GET /mapping-rules/conflicts',
    summary: 'Workloads that rules would give to different projects; the first rule of each decides.',
    access: { permission: 'mapping:read' },
    input: MappingConflictListInput,
    output: MappingConflictPage,
    run: ({ scope, input }) => listConflicts(scope, input),
  }),
  preview: query({
    rest: 'POST /mapping-rules/preview',
    summary: 'What storing a rule, or deleting the one of rule_id, would move. Nothing is changed.',
    access: { permission: 'mapping:read' },
    input: MappingPreviewInput,
    output: MappingPreview,
    run: ({ scope, input }) => previewMappingRule(scope, input),
  }),
  get: query({
    rest: 'GET /mapping-rules/{mapping_rule_id}',
    summary: 'One mapping rule.',
    access: { permission: 'mapping:read' },
    output: MappingRule,
    run: ({ scope, params }) => readMappingRule(scope, params.mapping_rule_id),
  }),
  update: mutation({
    rest: 'PATCH /mapping-rules/{mapping_rule_id}',
    summary: 'Change a mapping rule and carry it out. If-Match or version guards against lost updates.',
    access: { permission: 'mapping:write' },
    input: MappingRuleUpdate,
    output: MappingRule,
    run: ({ scope, params, input }) => updateMappingRule(scope, params.mapping_rule_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /mapping-rules/{mapping_rule_id}',
    summary: 'Delete a mapping rule. Its workloads go where other rules want them, or out of the project.',
    access: { permission: 'mapping:write' },
    run: ({ scope, params }) => deleteMappingRule(scope, params.mapping_rule_id),
  }),
});
