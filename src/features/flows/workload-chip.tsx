'use client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { FilterChip } from '../shared/filter-chip';

type Props = {
  label: string;
  /** `none`: where no known workload is. */
  workloadId: string;
  onRemove: () => void;
};

/** The filter by the workload at one end, by its name. */
export function WorkloadChip({ label, workloadId, onRemove }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const known = workloadId !== 'none';
  const { data } = useQuery({ ...trpc.workloads.get.queryOptions({ id: workloadId }), enabled: known, retry: false });
  return <FilterChip label={label} value={known ? (data?.name ?? workloadId) : t('none known')} onRemove={onRemove} />;
}
