import { z } from 'zod';
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
} from '../../services/administration/mapping-rules';
import { previewMappingRule } from '../../services/administration/preview-mapping-rule';
import { defineRoute } from '../define-route';
import { ifMatchVersion } from '../if-match';

const tag = 'Administration';
const params = z.object({ mapping_rule_id: z.uuid() });

export const mappingRuleRoutes = [
  defineRoute({
    method: 'GET',
    path: '/mapping-rules',
    summary: 'Rules that give the workloads of a pool, or with a tag, to a project.',
    tag,
    access: { permission: 'mapping:read' },
    query: MappingRuleListInput,
    response: { status: 200, schema: MappingRulePage },
    handler: ({ scope, query }) => listMappingRules(scope, query),
  }),
  defineRoute({
    method: 'POST',
    path: '/mapping-rules',
    summary: 'Create a mapping rule and carry it out. Workloads assigned by hand stay where they are.',
    tag,
    access: { permission: 'mapping:write' },
    body: MappingRuleInput,
    response: { status: 201, schema: MappingRule },
    handler: ({ scope, body }) => createMappingRule(scope, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/mapping-rules/conflicts',
    summary: 'Workloads that rules would give to different projects; the first rule of each decides.',
    tag,
    access: { permission: 'mapping:read' },
    query: MappingConflictListInput,
    response: { status: 200, schema: MappingConflictPage },
    handler: ({ scope, query }) => listConflicts(scope, query),
  }),
  defineRoute({
    method: 'POST',
    path: '/mapping-rules/preview',
    summary: 'What storing a rule, or deleting the one of rule_id, would move. Nothing is changed.',
    tag,
    access: { permission: 'mapping:read' },
    body: MappingPreviewInput,
    response: { status: 200, schema: MappingPreview },
    handler: ({ scope, body }) => previewMappingRule(scope, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/mapping-rules/{mapping_rule_id}',
    summary: 'One mapping rule.',
    tag,
    access: { permission: 'mapping:read' },
    params,
    response: { status: 200, schema: MappingRule },
    handler: ({ scope, params }) => readMappingRule(scope, params.mapping_rule_id),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/mapping-rules/{mapping_rule_id}',
    summary: 'Change a mapping rule and carry it out. If-Match or version guards against lost updates.',
    tag,
    access: { permission: 'mapping:write' },
    params,
    body: MappingRuleUpdate,
    response: { status: 200, schema: MappingRule },
    handler: ({ scope, params, body, request }) =>
      updateMappingRule(scope, params.mapping_rule_id, { ...body, version: body.version ?? ifMatchVersion(request) }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/mapping-rules/{mapping_rule_id}',
    summary: 'Delete a mapping rule. Its workloads go where other rules want them, or out of the project.',
    tag,
    access: { permission: 'mapping:write' },
    params,
    response: { status: 204 },
    handler: ({ scope, params }) => deleteMappingRule(scope, params.mapping_rule_id),
  }),
];
