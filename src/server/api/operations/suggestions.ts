import { Change } from '@/domain/change/change';
import {
  Suggestion,
  SuggestionApply,
  SuggestionChange,
  SuggestionCreate,
  SuggestionReadInput,
} from '@/domain/suggestion/suggestion';
import { authorize } from '../../auth/scope';
import { createSuggestedChange } from '../../enforcement/suggestions/create-change';
import { updateSuggestionChoices } from '../../enforcement/suggestions/edit-suggestion';
import { readSuggestion } from '../../enforcement/suggestions/read-suggestion';
import { requestSuggestion } from '../../enforcement/suggestions/request-suggestion';
import { operations } from '../operation';
import { router } from '../trpc';
import { impactReader } from './impacts';

const { query, mutation } = operations('Suggestions');
const access = { permission: 'policy:write' } as const;

export const suggestionsRouter = router({
  create: mutation({
    rest: 'POST /suggestions',
    summary:
      'Request groups and policies with the least access that covers the conversations of a scope. Requires flow:read as well. Nothing is enforced.',
    access,
    input: SuggestionCreate,
    output: Suggestion,
    status: 202,
    problems: ['not_found', 'refused'],
    run: ({ scope, session, input }) =>
      requestSuggestion(scope, authorize(session, 'flow:read'), impactReader(session), input),
  }),
  get: query({
    rest: 'GET /suggestions/{suggestion_id}',
    summary:
      'Get one suggestion with its draft and scores. With tightness, the draft at another position of the slider.',
    access,
    input: SuggestionReadInput,
    output: Suggestion,
    run: ({ scope, session, params, input }) =>
      readSuggestion(scope, impactReader(session), params.suggestion_id, input),
  }),
  update: mutation({
    rest: 'PATCH /suggestions/{suggestion_id}',
    summary:
      'Choose the position, the groups and how addresses are written. The answer has the new draft with its scores.',
    access,
    input: SuggestionChange,
    output: Suggestion,
    problems: ['conflict', 'refused'],
    run: ({ scope, session, params, input }) =>
      updateSuggestionChoices(scope, impactReader(session), params.suggestion_id, input),
  }),
  createChange: mutation({
    rest: 'POST /suggestions/{suggestion_id}/change',
    summary:
      'Create a change with the groups and policies of the draft, in audit mode. Requires group:write for new groups.',
    access,
    input: SuggestionApply,
    output: Change,
    status: 201,
    bodyOptional: true,
    problems: ['conflict', 'refused'],
    run: ({ scope, session, params, input }) =>
      createSuggestedChange(scope, session, impactReader(session), params.suggestion_id, input),
  }),
});
