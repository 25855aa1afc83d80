import { useQueries } from '@tanstack/react-query';
import type { Permission } from '@/domain/permissions';
import { useTRPCClient } from '@/lib/trpc';
import { usePermissions } from '../shared/use-permissions';
import { isFields } from './change-diff';
import type { Names } from './change-values';

/** Records of bulk changes can name hundreds; the others are shown by their ids. */
const MAX_NAMES = 40;

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const GROUP = /^sg:([0-9a-f-]{36})$/;

/** Fields with the id of something that has a name. */
const KINDS = {
  cluster_id: 'cluster',
  network_id: 'network',
  policy_id: 'policy',
  project_id: 'project',
  role_id: 'role',
  subnet_id: 'subnet',
  tenant_id: 'tenant',
  user_id: 'user',
  workload_id: 'workload',
  workload_ids: 'workload',
} as const;
type Kind = (typeof KINDS)[keyof typeof KINDS] | 'group';

/** The ids in a record, with what they are ids of. */
export function collectIds(value: unknown, found = new Map<string, Kind>()): Map<string, Kind> {
  const note = (text: unknown, kind: Kind) => {
    if (typeof text === 'string' && ID.test(text) && found.size < MAX_NAMES) found.set(text, kind);
  };
  if (typeof value === 'string') note(GROUP.exec(value)?.[1], 'group');
  if (Array.isArray(value)) for (const entry of value) collectIds(entry, found);
  if (!isFields(value)) return found;
  for (const [field, inner] of Object.entries(value)) {
    const kind = Object.hasOwn(KINDS, field) ? KINDS[field as keyof typeof KINDS] : undefined;
    if (kind) note(inner, kind);
    else collectIds(inner, found);
  }
  return found;
}

type Thing = { name?: string | null; title?: string; cidr?: string; email?: string };

/** What a thing is called. */
const getDisplayName = ({ title, email, cidr, name }: Thing): string | null => title ?? email ?? cidr ?? name ?? null;

/** Names of the things that a record refers to by id, as far as the reader may see them and they still exist. */
export function useChangeNames(before: unknown, after: unknown): Names {
  const client = useTRPCClient();
  const { can } = usePermissions();
  // Each is read as its own page reads it: a reader who may not see the thing sees its id.
  const readers: Record<Kind, { permission: Permission; read: (id: string) => Promise<Thing> }> = {
    cluster: { permission: 'cluster:read', read: (id) => client.clusters.get.query({ id }) },
    group: { permission: 'group:read', read: (id) => client.securityGroups.get.query({ id }) },
    network: { permission: 'ipam:read', read: (id) => client.networks.get.query({ id }) },
    policy: { permission: 'policy:read', read: (id) => client.policies.get.query({ id }) },
    project: { permission: 'project:read', read: (id) => client.projects.get.query({ id }) },
    role: { permission: 'role:read', read: (id) => client.roles.get.query({ id }) },
    subnet: { permission: 'ipam:read', read: (id) => client.subnets.get.query({ id }) },
    tenant: { permission: 'tenant:read', read: (id) => client.tenants.get.query({ id }) },
    user: { permission: 'user:read', read: (id) => client.users.get.query({ id }) },
    workload: { permission: 'workload:read', read: (id) => client.workloads.get.query({ id }) },
  };
  const ids = [...collectIds([before, after])].filter(([, kind]) => can(readers[kind].permission));
  const answers = useQueries({
    queries: ids.map(([id, kind]) => ({
      queryKey: ['audit-name', kind, id],
      queryFn: async () => getDisplayName(await readers[kind].read(id)),
      retry: false,
    })),
  });
  return new Map(
    answers.flatMap(({ data }, place) => {
      const id = ids[place]?.[0];
      return id !== undefined && data ? [[id, data] as const] : [];
    }),
  );
}
