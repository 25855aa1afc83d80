'use client';
import type { Cluster } from '@/domain/cluster';
import { useT } from '@/lib/i18n/use-t';
import { NewClusterForm } from '../shared/cluster-connection/new-cluster-form';

/** Adds the first cluster, or leaves it for later. */
export function ClusterStep({ onAdded, onSkip }: { onAdded: (cluster: Cluster) => void; onSkip: () => void }) {
  const t = useT();
  return <NewClusterForm onAdded={onAdded} onCancel={onSkip} cancelLabel={t('Skip for now')} />;
}
