'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTRPCClient } from '@/lib/trpc';
import { useDebounced } from '../../shared/use-timers';

/** What the endpoints resolve to now; fetched again soon after a change, and periodically while the page is open. */
export function useResolution(
  endpoints: readonly string[],
  tenantId: string | null | undefined,
  projectId: string | null | undefined,
) {
  const client = useTRPCClient();
  const asked = useDebounced(JSON.stringify([...new Set(endpoints)].sort()));
  return useQuery({
    queryKey: [['policies'], 'resolution', asked, tenantId ?? null, projectId ?? null],
    queryFn: ({ signal }) =>
      client.policies.resolveEndpoints.mutate(
        {
          endpoints: JSON.parse(asked) as string[],
          ...(tenantId !== undefined && { tenant_id: tenantId }),
          ...(projectId !== undefined && { project_id: projectId }),
        },
        { signal },
      ),
    enabled: asked !== '[]',
    placeholderData: keepPreviousData,
  });
}
