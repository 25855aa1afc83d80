'use client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
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
  const key = JSON.stringify(input);
  const [chosen, setChosen] = useState<{ key: string; ids: readonly string[] } | null>(null);
  const collect = useMutation({
    mutationFn: async () => {
      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.workloads.list.query({ ...input, limit: PAGE_ROWS, ...(cursor && { cursor }) });
        ids.push(...page.items.map(({ id }) => id));
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined && ids.length <= MAX_ASSIGNED);
      return ids;
    },
    onSuccess: (ids) => setChosen({ key, ids }),
    onError: (error) => {
      const { title, detail } = toFailure(error);
      showToast('danger', { title: t('Could not select all workloads'), description: detail ?? title });
    },
  });
  return {
    ids: chosen?.key === key ? chosen.ids : null,
    pending: collect.isPending,
    choose: () => collect.mutate(),
    clear: () => setChosen(null),
  };
}
