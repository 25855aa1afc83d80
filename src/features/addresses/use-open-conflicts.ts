'use client';
import { useQuery } from '@tanstack/react-query';
import { useTRPC } from '@/lib/trpc';

/** How many conflicts wait for a decision; null while nobody knows, or when there is none. */
export function useOpenConflicts(): number | null {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.ipamConflicts.list.queryOptions({ status: 'open', limit: 1 }));
  return data?.total || null;
}
