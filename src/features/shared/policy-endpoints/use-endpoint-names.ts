import { useQueries } from '@tanstack/react-query';
import { useTRPCClient } from '@/lib/trpc';
import { usePermissions } from '../use-permissions';

const GROUP = /^(!?sg:)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
/** The others are shown by their ids. */
const MAX_NAMES = 40;

/** Endpoints as they are shown: a group that is named by its id with its name, as far as the reader may see the group. */
export function useEndpointNames(endpoints: readonly string[]): (endpoint: string) => string {
  const client = useTRPCClient();
  const { can } = usePermissions();
  const ids = can('group:read') ? new Set(endpoints.flatMap((endpoint) => GROUP.exec(endpoint)?.[2] ?? [])) : [];
  const answers = useQueries({
    queries: [...ids].slice(0, MAX_NAMES).map((id) => ({
      queryKey: ['endpoint-name', id],
      queryFn: () => client.securityGroups.get.query({ id }),
      retry: false,
    })),
  });
  const names = new Map(answers.flatMap(({ data }) => (data ? [[data.id, data.name] as const] : [])));
  return (endpoint) => {
    const [, prefix = '', id = ''] = GROUP.exec(endpoint) ?? [];
    const name = names.get(id);
    return name === undefined ? endpoint : prefix + name;
  };
}
