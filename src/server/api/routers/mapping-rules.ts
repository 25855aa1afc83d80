import { z } from 'zod';
import {
  MappingConflictListInput,
  MappingPreviewInput,
  MappingRuleInput,
  MappingRuleListInput,
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
import { procedure, router } from '../trpc';

const byId = z.strictObject({ id: z.uuid() });

export const mappingRulesRouter = router({
  list: procedure('mapping:read')
    .input(MappingRuleListInput)
    .query(({ ctx, input }) => listMappingRules(ctx.scope, input)),
  get: procedure('mapping:read')
    .input(byId)
    .query(({ ctx, input }) => readMappingRule(ctx.scope, input.id)),
  conflicts: procedure('mapping:read')
    .input(MappingConflictListInput)
    .query(({ ctx, input }) => listConflicts(ctx.scope, input)),
  preview: procedure('mapping:read')
    .input(MappingPreviewInput)
    .query(({ ctx, input }) => previewMappingRule(ctx.scope, input)),
  create: procedure('mapping:write')
    .input(MappingRuleInput)
    .mutation(({ ctx, input }) => createMappingRule(ctx.scope, input)),
  update: procedure('mapping:write')
    .input(MappingRuleUpdate.extend({ id: z.uuid() }))
    .mutation(({ ctx, input: { id, ...changes } }) => updateMappingRule(ctx.scope, id, changes)),
  delete: procedure('mapping:write')
    .input(byId)
    .mutation(({ ctx, input }) => deleteMappingRule(ctx.scope, input.id)),
});
