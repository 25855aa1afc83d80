'use client';
import { useT } from '@/lib/i18n/use-t';
import { FilterChip } from '../shared/filter-chip';
import { useWorkloadName } from '../shared/use-workload-name';

type Props = {
  label: string;
  /** `none`: where no known workload is. */
  workloadId: string;
  onRemove: () => void;
};

/** The filter by the workload at one end, by its name. */
export function WorkloadChip({ label, workloadId, onRemove }: Props) {
  const t = useT();
  const known = workloadId !== 'none';
  const { name } = useWorkloadName(known ? workloadId : undefined);
  return <FilterChip label={label} value={known ? (name ?? workloadId) : t('none known')} onRemove={onRemove} />;
}
