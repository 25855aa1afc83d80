'use client';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { SuggestionChange } from '@/domain/suggestion/suggestion';
import { useTRPC } from '@/lib/trpc';

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

/** Stores what is chosen; the page shows the new draft with its scores. */
export function useChoices(id: string) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const update = useMutation(
    trpc.suggestions.update.mutationOptions({
      onSuccess: (suggestion) => queryClient.setQueryData(trpc.suggestions.get.queryKey({ id }), suggestion),
    }),
  );
  return { ...update, choose: (change: SuggestionChange) => update.mutate({ id, ...change }) };
}
export type Choices = ReturnType<typeof useChoices>;
