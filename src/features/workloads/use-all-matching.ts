'use client';
import { useMutation } from '@tanstack/react-query';
import { MAX_ASSIGNED } from '@/domain/choices';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPCClient } from '@/lib/trpc';
import { showToast } from '@/ui/toast';

const PAGE_ROWS = 500;

/**
 * Chooses everything that matches, also what the list has not loaded. The choice holds for these filters only: with others
 * it is gone.
 * @param input filters and search of the list, without paging
 */
export function useAllMatching(input: object) {
  const t = useT();
  const client = useTRPCClient();
  const collect = useMutation({
    mutationFn: async (asked: object) => {
      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.workloads.list.query({ ...asked, limit: PAGE_ROWS, ...(cursor && { cursor }) });
        ids.push(...page.items.map(({ id }) => id));
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined && ids.length <= MAX_ASSIGNED);
      return ids;
    },
    onError: (error) => {
      const { title, detail } = toFailure(error);
      showToast('danger', { title: t('Could not select all workloads'), description: detail ?? title });
    },
  });
  // The list may show another search by the time that it is collected.
  const isOfThese = JSON.stringify(collect.variables) === JSON.stringify(input);
  return {
    ids: (isOfThese && collect.data) || null,
    pending: isOfThese && collect.isPending,
    choose: () => collect.mutate(input),
    /** Also of what is being collected. */
    clear: collect.reset,
  };
}
