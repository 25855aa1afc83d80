import { queryOptions } from '@tanstack/react-query';
import { rest } from '@/lib/rest';

export type SetupStatus = { completed: boolean; setup_code_required: boolean };

/** Whether the first administrator exists. Public, and asked afresh each time: it changes once for ever. */
export const setupStatusQuery = queryOptions({
  queryKey: ['setup-status'],
  queryFn: ({ signal }) => rest<SetupStatus>('/setup/status', { open: true, signal }),
  staleTime: 0,
});
