import { useQuery } from '@tanstack/react-query';
import { useTRPCClient } from '@/lib/trpc';
import { usePermissions } from '../use-permissions';

const GROUP = /^!?sg:([0-9a-f-]{36})$/;
/** The others are shown by their ids. */
const MAX_NAMES = 40;

/**
 * Endpoints as they are shown: a group that is named by its id with its name, as far as the reader may see the group. Policies of the
 * installation name groups of tenants so. One query for all of them.
 */
export function useEndpointNames(endpoints: readonly string[]): (endpoint: string) => string {
  const client = useTRPCClient();
  const { can } = usePermissions();
  const ids = endpoints.flatMap((text) => GROUP.exec(text)?.[1] ?? []).slice(0, MAX_NAMES);
  const { data } = useQuery({
    queryKey: ['endpoint-names', ids],
    queryFn: () => Promise.all(ids.map((id) => client.securityGroups.get.query({ id }).catch(() => null))),
    enabled: ids.length > 0 && can('group:read'),
  });
  return (endpoint) => {
    const group = data?.find((one) => one && endpoint.endsWith(one.id));
    return group ? endpoint.slice(0, -group.id.length) + group.name : endpoint;
  };
}
