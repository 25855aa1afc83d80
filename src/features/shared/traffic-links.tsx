'use client';
import { Activity, GitCompareArrows, Route, Share2 } from 'lucide-react';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
import { pathCheckPath } from './reach/ends';
import { usePermissions } from './use-permissions';

type Props = { filter: { node_id: string } | { workload_id: string } | { address: string; cluster_id: string } };

/** Leads from a thing to its flows, for those who may see any. */
export function FlowsLink({ filter }: Props) {
  const t = useT();
  const { can } = usePermissions();
  if (!can('flow:read')) return null;
  return (
    <Link className={buttonClass()} href={paths.flows(filter)}>
      <Activity size={14} aria-hidden />
      {t('Flows')}
    </Link>
  );
}

/** Links a workload to the map of its neighbors, for users who may see any flows. */
export function TopologyLink({ workloadId }: { workloadId: string }) {
  const t = useT();
  const { can } = usePermissions();
  if (!can('flow:read')) return null;
  return (
    <Link className={buttonClass()} href={paths.topology({ workload_id: workloadId, at: workloadId })}>
      <Share2 size={14} aria-hidden />
      {t('Neighbors')}
    </Link>
  );
}

/** Leads from a policy or workload to its open drift, for users who may see policies. */
export function DriftLink({ filter }: { filter: { policy_id: string } | { workload_id: string } }) {
  const t = useT();
  const { can } = usePermissions();
  if (!can('policy:read')) return null;
  return (
    <Link className={buttonClass()} href={paths.drift({ status: 'open', ...filter })}>
      <GitCompareArrows size={14} aria-hidden />
      {t('Drift')}
    </Link>
  );
}

/** Leads from a thing to the path check, with its addresses filled in as the destination or the source. */
export function ReachLink(question: Parameters<typeof pathCheckPath>[0]) {
  const t = useT();
  const { can } = usePermissions();
  if (!can('workload:read')) return null;
  return (
    <Link className={buttonClass()} href={pathCheckPath(question)}>
      <Route size={14} aria-hidden />
      {t('Path check')}
    </Link>
  );
}
