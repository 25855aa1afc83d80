'use client';
import { useQuery } from '@tanstack/react-query';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { usePermissions } from './use-permissions';

type Named = { name: string | null; vmid: number | null; failed: boolean };

/**
 * How a workload is called; of one that went to another tenant the name that it had then, without a VMID. Null while it is being
 * asked for, and `failed` when it is not to be had.
 */
export function useWorkloadName(id: string | undefined): Named {
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
