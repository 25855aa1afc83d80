'use client';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { SuggestionChange } from '@/domain/suggestion/suggestion';
import { useTRPC } from '@/lib/trpc';
import { buildChoice } from './suggestion-groups';

const POLL_MS = 1_000;

/** One suggestion; while it is computed it is read again. */
export function useSuggestion(id: string) {
  const trpc = useTRPC();
  return useQuery({
    ...trpc.suggestions.get.queryOptions({ id }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? POLL_MS : false),
  });
}

/**
 * Stores what is chosen; the page shows the new draft with its scores. Choices follow one after the other, each about the draft that the one
 * before left: only edits of others are in conflict, and then the page shows them.
 */
export function useChoices(id: string) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const queryKey = trpc.suggestions.get.queryKey({ id });
  const options = trpc.suggestions.update.mutationOptions();
  const { mutationFn: send } = options;
  if (!send) throw new Error('expected a call that updates a suggestion');
  const update = useMutation({
    ...options,
    scope: { id: `suggestion ${id}` },
    mutationFn: async (change: SuggestionChange & { id: string }, context) => {
      const suggestion = await send({ id, ...buildChoice(change, queryClient.getQueryData(queryKey)) }, context);
      queryClient.setQueryData(queryKey, suggestion);
      return suggestion;
    },
    onError: () => void queryClient.invalidateQueries({ queryKey }),
  });
  return {
    ...update,
    choose: (change: SuggestionChange, onSuccess?: () => void) => update.mutate({ id, ...change }, { onSuccess }),
  };
}
export type Choices = ReturnType<typeof useChoices>;
