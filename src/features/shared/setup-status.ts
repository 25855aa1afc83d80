import { queryOptions } from '@tanstack/react-query';
import type { SetupStatus } from '@/domain/setup';
import { rest } from '@/lib/rest';

/** Whether the first administrator exists. Public, and asked afresh each time: it changes once for ever. */
export const setupStatusQuery = queryOptions({
  queryKey: ['setup-status'],
  queryFn: ({ signal }) => rest<SetupStatus>('/setup/status', { open: true, signal }),
  staleTime: 0,
});
