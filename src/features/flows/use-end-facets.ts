'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import type { FacetProps } from '@/ui/facet';
import { usePermissions } from '../shared/use-permissions';
import { useDebounced } from '../shared/use-timers';
import type { FlowView } from './use-flow-view';

const FOUND = 50;
const TYPING_MS = 200;

const textOf = (error: unknown) => (error ? (failureOf(error).detail ?? failureOf(error).title) : null);

type Named = { value: string; label: string };
const withChosen = (found: readonly Named[], chosen: Named | null) =>
  chosen && !found.some(({ value }) => value === chosen.value) ? [chosen, ...found] : [...found];

/** Filters by workload and node; each only for those who may see such things. The server finds the choices. */
export function useEndFacets(view: FlowView): (FacetProps & { id: string })[] {
  const t = useT();
  const trpc = useTRPC();
  const { can } = usePermissions();
  const { workload_id, node_id } = view.filter;
  const [workloadText, setWorkloadText] = useState('');
  const [nodeText, setNodeText] = useState('');
  const workloadQuery = useDebounced(workloadText, TYPING_MS);
  const nodeQuery = useDebounced(nodeText, TYPING_MS);
  const workloads = useQuery({
    ...trpc.workloads.list.queryOptions({ q: workloadQuery || undefined, sort: 'name', limit: FOUND }),
    enabled: can('workload:read'),
    placeholderData: keepPreviousData,
  });
  const workload = useWorkloadName(workload_id);
  const nodes = useQuery({
    ...trpc.nodes.list.queryOptions({ q: nodeQuery || undefined, sort: 'name', limit: FOUND }),
    enabled: can('cluster:read'),
    placeholderData: keepPreviousData,
  });
  const node = useQuery({
    ...trpc.nodes.get.queryOptions({ id: node_id ?? '' }),
    enabled: node_id !== undefined && can('cluster:read'),
  });
  const nameOf = ({ name, vmid }: typeof workload) =>
    name === null || vmid === null ? name : workloadLabel({ name, vmid });
  const workloadLabel = (one: { name: string; vmid: number }) => `${one.name} (${one.vmid})`;
  const nodeLabel = (one: { name: string; cluster_name: string }) => `${one.name} (${one.cluster_name})`;
  return [
    ...(can('workload:read')
      ? [
          {
            id: 'workload_id',
            label: t('Workload'),
            single: true,
            options: withChosen(
              workloads.data?.items.map((one) => ({ value: one.id, label: workloadLabel(one) })) ?? [],
              workload_id === undefined
                ? null
                : {
                    value: workload_id,
                    label: nameOf(workload) ?? (workload.failed ? t('unknown') : '…'),
                  },
            ),
            value: workload_id === undefined ? [] : [workload_id],
            onValueChange: ([value]: string[]) => view.narrow({ workload_id: value ?? null }),
            remote: { onSearch: setWorkloadText, loading: workloads.isFetching, error: textOf(workloads.error) },
          },
        ]
      : []),
    ...(can('cluster:read')
      ? [
          {
            id: 'node_id',
            label: t('Node'),
            single: true,
            options: withChosen(
              nodes.data?.items.map((one) => ({ value: one.id, label: nodeLabel(one) })) ?? [],
              node_id === undefined
                ? null
                : { value: node_id, label: node.data ? nodeLabel(node.data) : node.error ? t('unknown') : '…' },
            ),
            value: node_id === undefined ? [] : [node_id],
            onValueChange: ([value]: string[]) => view.narrow({ node_id: value ?? null }),
            remote: { onSearch: setNodeText, loading: nodes.isFetching, error: textOf(nodes.error) },
          },
        ]
      : []),
  ];
}

type WorkloadName = { name: string | null; vmid: number | null; failed: boolean };

/**
 * How a workload is called; of one that went to another tenant the name that it had then, without a VMID. Null while it is being
 * asked for, and `failed` when it is not to be had.
 */
export function useWorkloadName(id: string | undefined): WorkloadName {
  const trpc = useTRPC();
  const { can } = usePermissions();
  const asked = id !== undefined && can('workload:read');
  const here = useQuery({ ...trpc.workloads.get.queryOptions({ id: id ?? '' }), enabled: asked, retry: false });
  const isGone = asked && here.error !== null && failureOf(here.error).status === 404;
  const former = useQuery({ ...trpc.workloads.former.queryOptions({ id: id ?? '' }), enabled: isGone, retry: false });
  if (isGone) {
    const name = former.data?.name ?? null;
    return { name, vmid: null, failed: !former.isPending && name === null };
  }
  return { name: here.data?.name ?? null, vmid: here.data?.vmid ?? null, failed: here.error !== null };
}
