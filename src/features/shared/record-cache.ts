'use client';
import {
  type FetchQueryOptions,
  type QueryClient,
  type QueryFilters,
  type QueryKey,
  useQueryClient,
} from '@tanstack/react-query';
import { showToast } from '@/ui/toast';

/** Reads a record as it is stored now, whatever was read before. */
export function useReadAgain(): QueryClient['fetchQuery'] {
  const queryClient = useQueryClient();
  return (options) => queryClient.fetchQuery({ ...options, staleTime: 0 });
}

/**
 * What follows a save: what depends on the record is read again, a toast says so, and the form closes.
 * @param onClose left out where the page is left: a form that closes by the URL would undo that
 */
export function useSaved(onClose?: () => void): (title: string, ...outdated: QueryFilters[]) => void {
  const queryClient = useQueryClient();
  return (title, ...outdated) => {
    for (const filter of outdated) void queryClient.invalidateQueries(filter);
    showToast('ok', { title });
    onClose?.();
  };
}

type Stored<T, K extends QueryKey> = {
  /** What reads the record. */
  query: Pick<FetchQueryOptions<T, Error, T, K>, 'queryFn'> & { queryKey: K };
  /** The text of the toast. */
  saved: (record: T) => string;
  /** What depends on it. */
  outdated: readonly QueryFilters[];
  onClose: () => void;
};

/** What a versioned form does with one stored record: reads it as it is now, and shows what was saved. */
export function useVersioned<T, K extends QueryKey>({ query, saved, outdated, onClose }: Stored<T, K>) {
  const queryClient = useQueryClient();
  const readAgain = useReadAgain();
  const done = useSaved(onClose);
  return {
    read: (): Promise<T> => readAgain(query),
    onSaved: (record: T) => {
      queryClient.setQueryData(query.queryKey as QueryKey, record);
      done(saved(record), ...outdated);
    },
    onClose,
  };
}
