'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ImportInput, IpamImportDetail } from '@/domain/ipam/csv-import';
import { useIsLive } from '@/lib/live-updates';
import { rest } from '@/lib/rest';
import { useTRPC } from '@/lib/trpc';

// Files are larger than a procedure takes, so imports go over REST; events invalidate this key.
const KEY = ['ipamImports'] as const;

/** One import, kept up to date: by events while they arrive, else by asking. */
export function useImport(id: string | null) {
  const live = useIsLive();
  return useQuery({
    queryKey: [[...KEY, 'get'], { id }],
    queryFn: ({ signal }) => rest<IpamImportDetail>(`/ipam/imports/${encodeURIComponent(id ?? '')}`, { signal }),
    enabled: id !== null,
    refetchInterval: ({ state }) => {
      const status = state.data?.status;
      return status === 'ok' || status === 'failed' ? false : live ? 3000 : 1000;
    },
  });
}

/** Hands a file over, to be checked or imported. */
export function useStartImport(onStarted: (id: string, input: ImportInput) => void) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (input: ImportInput) => rest<{ import_id: string }>('/ipam/imports', { method: 'POST', body: input }),
    onSuccess: ({ import_id }, input) => {
      void queryClient.invalidateQueries({ queryKey: [KEY] });
      void queryClient.invalidateQueries(trpc.subnets.pathFilter());
      onStarted(import_id, input);
    },
  });
}
