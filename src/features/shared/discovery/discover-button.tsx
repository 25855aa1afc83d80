'use client';
import { Radar } from 'lucide-react';
import { useState } from 'react';
import type { DiscoverAccepted } from '@/domain/ipam/discovery';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { loadOnOpening } from '@/ui/load-on-opening';
import { Menu } from '@/ui/menu';
import { useKnownClusters } from '../use-cluster-options';
import { usePermissions } from '../use-permissions';
import { useDiscover } from './use-discover';

const DiscoveryDrawer = loadOnOpening(
  () => import('./discovery-drawer').then((module) => module.DiscoveryDrawer),
  ({ started }) => started !== null,
);

type Props = {
  /** On the page of a cluster: that one. Else all of them, or one that is chosen. */
  clusterId?: string;
  variant?: 'primary' | 'secondary';
  disabledReason?: string | null;
};

/** Asks guests, containers and the cluster for their addresses, and shows how that goes. */
export function DiscoverButton({ clusterId, variant, disabledReason }: Props) {
  const t = useT();
  const { reason } = usePermissions();
  const known = useKnownClusters();
  const clusters = known ?? [];
  const [started, setStarted] = useState<DiscoverAccepted | null>(null);
  const discover = useDiscover(setStarted);
  const why =
    reason('ipam:discover') ??
    disabledReason ??
    (clusterId === undefined && known?.length === 0 ? t('No clusters yet. Add a cluster first.') : null);
  const start = (id: string | undefined) => discover.mutate(id ? { cluster_ids: [id] } : {});
  const [only] = clusters.length === 1 ? clusters : [];
  const direct = clusterId ?? only?.value;
  const button = (
    <Button
      variant={variant}
      icon={<Radar size={14} />}
      onClick={direct || why ? () => start(direct) : undefined}
      pending={discover.isPending}
      disabledReason={why}
    >
      {t('Discover addresses')}
    </Button>
  );
  return (
    <>
      {direct || why ? (
        button
      ) : (
        <Menu
          align="end"
          trigger={button}
          entries={[
            { id: 'all', label: t('All clusters'), onSelect: () => start(undefined) },
            ...(clusters.length > 0 ? [{ kind: 'separator' as const, id: 'line' }] : []),
            ...clusters.map(({ value, label }) => ({ id: value, label, onSelect: () => start(value) })),
          ]}
        />
      )}
      <DiscoveryDrawer started={started} onClose={() => setStarted(null)} />
    </>
  );
}
