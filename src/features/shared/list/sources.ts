'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import type { FoundOptions } from '@/ui/filter/filter-field';
import type { Option } from '@/ui/option';
import { usePermissions } from '../use-permissions';
import { useDebounced } from '../use-timers';
import type { Source } from './filters';

const FOUND = 50;
const TYPING_MS = 200;

type Answer<Row> = { data: { items: readonly Row[] } | undefined; isFetching: boolean; error: unknown };

/** Whether what was found is for another text than the one that is typed now. */
const useIsEarlier = (text: string) => useDebounced(text, TYPING_MS) !== text;

/** Search results while the user types. */
function foundOptions<Row>(
  { data, isFetching, error }: Answer<Row>,
  isEarlier: boolean,
  toOption: (row: Row) => Option,
): FoundOptions {
  const failure = error ? toFailure(error) : null;
  return {
    options: data?.items.map(toOption) ?? [],
    loading: isFetching || isEarlier,
    error: failure && (failure.detail ?? failure.title),
  };
}

const isMissing = (error: unknown) => error !== null && [403, 404].includes(toFailure(error).status ?? 0);

/** What is asked for a text, once the typing has paused. */
const useAsked = <S extends string>(text: string, sort: S) => {
  const q = useDebounced(text.trim(), TYPING_MS);
  return { sort, limit: FOUND, ...(q !== '' && { q: q.slice(0, 200) }) };
};

const formatLabel = ({ name, vmid }: { name: string; vmid: number }) => `${name} (${vmid})`;

/** Workloads by name, VMID, address or MAC. One that was moved or deleted keeps the name that it had then. */
export const WORKLOAD: Source = {
  permission: 'workload:read',
  useFound: (text) => {
    const trpc = useTRPC();
    const asked = useAsked(text, 'name');
    const query = useQuery({ ...trpc.workloads.list.queryOptions(asked), placeholderData: keepPreviousData });
    return foundOptions(query, useIsEarlier(text), (one) => ({
      value: one.id,
      label: formatLabel(one),
      description: one.cluster_name,
    }));
  },
  useName: (id) => {
    const { name, vmid, gone } = useWorkloadName(id);
    return { name: name === null || vmid === null ? name : formatLabel({ name, vmid }), gone };
  },
};

/**
 * How a workload is called; of one that went to another tenant the name that it had then, without a VMID. Null while it is read,
 * and `gone` when there is no name to be had.
 */
export function useWorkloadName(id: string | null): { name: string | null; vmid: number | null; gone: boolean } {
  const trpc = useTRPC();
  const { can } = usePermissions();
  const readable = can('workload:read');
  const here = useQuery({
    ...trpc.workloads.get.queryOptions({ id: id ?? '' }),
    enabled: id !== null && readable,
    retry: false,
  });
  const isGone = isMissing(here.error);
  const former = useQuery({ ...trpc.workloads.former.queryOptions({ id: id ?? '' }), enabled: isGone, retry: false });
  if (!isGone) {
    return { name: here.data?.name ?? null, vmid: here.data?.vmid ?? null, gone: !readable || here.error !== null };
  }
  const name = former.data?.name ?? null;
  return { name, vmid: null, gone: !former.isPending && name === null };
}

type Named<Row> = {
  permission: Source['permission'];
  useRows: (text: string) => Answer<Row>;
  useOne: (id: string, enabled: boolean) => { data: Row | undefined; error: unknown };
  toOption: (row: Row) => Option;
};

/** A source of things that have one name. */
const source = <Row>({ permission, useRows, useOne, toOption }: Named<Row>): Source => ({
  permission,
  useFound: (text) => foundOptions(useRows(text), useIsEarlier(text), toOption),
  useName: (id) => {
    const { can } = usePermissions();
    const { data, error } = useOne(id ?? '', id !== null && can(permission));
    return { name: data ? toOption(data).label : null, gone: !can(permission) || error !== null };
  },
});

const keep = { placeholderData: keepPreviousData };

/** Nodes by name. */
export const NODE: Source = source<{ id: string; name: string; cluster_name: string }>({
  permission: 'cluster:read',
  useRows: (text) => useQuery({ ...useTRPC().nodes.list.queryOptions(useAsked(text, 'name')), ...keep }),
  useOne: (id, enabled) => useQuery({ ...useTRPC().nodes.get.queryOptions({ id }), enabled, retry: false }),
  toOption: ({ id, name, cluster_name }) => ({ value: id, label: `${name} (${cluster_name})` }),
});

/** Flow exporters by name. */
export const EXPORTER: Source = source<{ id: string; name: string; address: string }>({
  permission: 'agent:read',
  useRows: (text) => useQuery({ ...useTRPC().flowExporters.list.queryOptions(useAsked(text, 'name')), ...keep }),
  useOne: (id, enabled) => useQuery({ ...useTRPC().flowExporters.get.queryOptions({ id }), enabled, retry: false }),
  toOption: ({ id, name, address }) => ({ value: id, label: name, description: address }),
});

/** Projects by name. */
export const PROJECT: Source = source<{ id: string; name: string; tenant_name: string }>({
  permission: 'project:read',
  useRows: (text) => useQuery({ ...useTRPC().projects.list.queryOptions(useAsked(text, 'name')), ...keep }),
  useOne: (id, enabled) => useQuery({ ...useTRPC().projects.get.queryOptions({ id }), enabled, retry: false }),
  toOption: ({ id, name, tenant_name }) => ({ value: id, label: name, description: tenant_name }),
});

/** Security groups by name. */
export const GROUP: Source = source<{ id: string; name: string }>({
  permission: 'group:read',
  useRows: (text) => useQuery({ ...useTRPC().securityGroups.list.queryOptions(useAsked(text, 'name')), ...keep }),
  useOne: (id, enabled) => useQuery({ ...useTRPC().securityGroups.get.queryOptions({ id }), enabled, retry: false }),
  toOption: ({ id, name }) => ({ value: id, label: name }),
});

/** Networks by name. */
export const NETWORK: Source = source<{ id: string; name: string; cluster_name: string }>({
  permission: 'ipam:read',
  useRows: (text) => useQuery({ ...useTRPC().networks.list.queryOptions(useAsked(text, 'name')), ...keep }),
  useOne: (id, enabled) => useQuery({ ...useTRPC().networks.get.queryOptions({ id }), enabled, retry: false }),
  toOption: ({ id, name, cluster_name }) => ({ value: id, label: name, description: cluster_name }),
});

/** Policies by name. */
export const POLICY: Source = source<{ id: string; name: string }>({
  permission: 'policy:read',
  useRows: (text) => useQuery({ ...useTRPC().policies.list.queryOptions(useAsked(text, 'name')), ...keep }),
  useOne: (id, enabled) => useQuery({ ...useTRPC().policies.get.queryOptions({ id }), enabled, retry: false }),
  toOption: ({ id, name }) => ({ value: id, label: name }),
});

/** Users by email address. */
export const USER: Source = source<{ id: string; email: string }>({
  permission: 'user:read',
  useRows: (text) => useQuery({ ...useTRPC().users.list.queryOptions(useAsked(text, 'email')), ...keep }),
  useOne: (id, enabled) => useQuery({ ...useTRPC().users.get.queryOptions({ id }), enabled, retry: false }),
  toOption: ({ id, email }) => ({ value: id, label: email }),
});

/** Notification channels by name. */
export const CHANNEL: Source = source<{ id: string; name: string }>({
  permission: 'notification:read',
  useRows: (text) => useQuery({ ...useTRPC().notificationChannels.list.queryOptions(useAsked(text, 'name')), ...keep }),
  useOne: (id, enabled) =>
    useQuery({ ...useTRPC().notificationChannels.get.queryOptions({ id }), enabled, retry: false }),
  toOption: ({ id, name }) => ({ value: id, label: name }),
});

/** Notification rules by name. */
export const NOTIFICATION_RULE: Source = source<{ id: string; name: string }>({
  permission: 'notification:read',
  useRows: (text) => useQuery({ ...useTRPC().notificationRules.list.queryOptions(useAsked(text, 'name')), ...keep }),
  useOne: (id, enabled) => useQuery({ ...useTRPC().notificationRules.get.queryOptions({ id }), enabled, retry: false }),
  toOption: ({ id, name }) => ({ value: id, label: name }),
});
