'use client';
import { type QueryClient, type QueryFilters, useQueryClient } from '@tanstack/react-query';
import { showToast } from '@/ui/toast';

/** Reads a record as it is stored now, whatever was read before. */
export function useReadAgain(): QueryClient['fetchQuery'] {
  const queryClient = useQueryClient();
  return (options) => queryClient.fetchQuery({ ...options, staleTime: 0 });
}

/** What follows a save: what depends on the record is read again, a toast says so, and the form closes. */
export function useSaved(onClose: () => void): (title: string, ...outdated: QueryFilters[]) => void {
  const queryClient = useQueryClient();
  return (title, ...outdated) => {
    for (const filter of outdated) void queryClient.invalidateQueries(filter);
    showToast('ok', { title });
    onClose();
  };
}
