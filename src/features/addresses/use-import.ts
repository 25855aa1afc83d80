'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { MAX_IMPORT_CHANGES } from '@/domain/choices';
import type { ImportChange, ImportInput, IpamImportDetail } from '@/domain/ipam/csv-import';
import { useIsLive } from '@/lib/live-updates';
import { rest } from '@/lib/rest';
import { useTRPC } from '@/lib/trpc';

/** One import, kept up to date: by events while they arrive, else by asking. */
export function useImport(id: string | null) {
  const trpc = useTRPC();
  const live = useIsLive();
  return useQuery({
    ...trpc.ipamImports.get.queryOptions({ id: id ?? '' }),
    enabled: id !== null,
    refetchInterval: ({ state }) => {
      const status = state.data?.status;
      return status === 'ok' || status === 'failed' ? false : live ? 3000 : 1000;
    },
  });
}

/** An import with more of its changes than it comes with, as they are asked for. */
export function useMoreChanges(run: IpamImportDetail) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [more, setMore] = useState<ImportChange[]>([]);
  // Earlier releases stored the first changes only.
  const [isEnd, setIsEnd] = useState(false);
  const changes = [...run.changes, ...more];
  const load = useMutation({
    mutationFn: () =>
      queryClient.fetchQuery(
        trpc.ipamImports.changes.queryOptions({ id: run.id, offset: changes.length, limit: MAX_IMPORT_CHANGES }),
      ),
    onSuccess: ({ items }) => {
      setMore([...more, ...items]);
      setIsEnd(items.length === 0);
    },
  });
  return { run: { ...run, changes }, left: isEnd ? 0 : run.changes_total - changes.length, load };
}

/** Hands a file over, to be checked or imported. Files are larger than a procedure takes, so they go over REST. */
export function useStartImport(onStarted: (id: string, input: ImportInput) => void) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (input: ImportInput) => rest<{ import_id: string }>('/ipam/imports', { method: 'POST', body: input }),
    onSuccess: ({ import_id }, input) => {
      void queryClient.invalidateQueries(trpc.ipamImports.pathFilter());
      onStarted(import_id, input);
    },
  });
}
