'use client';
import { Share2 } from 'lucide-react';
import Link from 'next/link';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { buttonClass } from '@/ui/button-class';
import { usePermissions } from './use-permissions';

/** Leads from a workload to the map of its neighbours, for those who may see any flows. */
export function TopologyLink({ workloadId }: { workloadId: string }) {
  const t = useT();
  const { can } = usePermissions();
  if (!can('flow:read')) return null;
  return (
    <Link className={buttonClass()} href={paths.topology({ workload_id: workloadId, at: workloadId })}>
      <Share2 size={14} aria-hidden />
      {t('Neighbours')}
    </Link>
  );
}
