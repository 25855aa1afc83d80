'use client';
import { useQuery } from '@tanstack/react-query';
import { Box, Network, RadioTower, Server, Waypoints } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatCount } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';

/** Where to go from here. */
export function NextStep({ clusterId }: { clusterId: string | null }) {
  const t = useT();
  const trpc = useTRPC();
  const { data: cluster } = useQuery({
    ...trpc.clusters.get.queryOptions({ id: clusterId ?? '' }),
    enabled: clusterId !== null,
  });
  const { data: agents } = useQuery({
    ...trpc.agents.summary.queryOptions({ cluster_id: clusterId ?? '' }),
    enabled: clusterId !== null,
  });
  const without = agents?.none;
  const count = (value: number | undefined) => (value ? formatCount(value) : undefined);
  return (
    <>
      <p className="text-muted">
        {cluster
          ? t('{name} is connected. Syncs repeat automatically; the interval is in the settings.', {
              name: cluster.name,
            })
          : t('No clusters yet. You can add a cluster at any time.')}
      </p>
      <ul className="divide-y rounded-md border">
        <Way
          href={cluster ? paths.cluster({ clusterId: cluster.id }) : paths.clusters({ add: 'true' })}
          icon={<Waypoints />}
          title={cluster ? t('Cluster {name}', { name: cluster.name }) : t('Add cluster')}
          text={
            cluster
              ? t('State, connection and sync runs of the cluster.')
              : t('You need the API address and an API token.')
          }
        />
        {cluster && (
          <>
            <Way
              href={paths.agents({ cluster_id: cluster.id })}
              icon={<RadioTower />}
              title={t('Install agents')}
              count={without ? t('{n, number} without agent', { n: without }) : undefined}
              text={t(
                'Run one command on each node to see the traffic of its workloads. Without agents there are no flows.',
              )}
            />
            <Way
              href={paths.workloads()}
              icon={<Box />}
              title={t('Workloads')}
              count={count(cluster.counts.workloads)}
              text={t('Virtual machines and containers with their interfaces and addresses.')}
            />
            <Way
              href={paths.nodes()}
              icon={<Server />}
              title={t('Nodes')}
              count={count(cluster.counts.nodes)}
              text={t('The Proxmox VE hosts of the cluster.')}
            />
            <Way
              href={paths.networks()}
              icon={<Network />}
              title={t('Networks')}
              count={count(cluster.counts.networks)}
              text={t('Bridges, VNets, VLANs and prefixes.')}
            />
          </>
        )}
      </ul>
      <div className="flex justify-end">
        <Link
          className={buttonClass({ variant: 'primary' })}
          href={cluster ? paths.cluster({ clusterId: cluster.id }) : paths.home()}
        >
          {cluster ? t('Open cluster') : t('Open Fabric')}
        </Link>
      </div>
    </>
  );
}

function Way(props: { href: string; icon: ReactNode; title: string; text: string; count?: string | undefined }) {
  return (
    <li>
      <Link href={props.href} className="flex items-start gap-3 px-3 py-2 -outline-offset-2 hover:bg-surface-2">
        <span className="mt-0.5 text-faint [&>svg]:size-4">{props.icon}</span>
        <span className="min-w-0 flex-1">
          <span className="block font-medium">{props.title}</span>
          <span className="block text-pretty text-muted">{props.text}</span>
        </span>
        {props.count && <span className="text-muted tabular-nums">{props.count}</span>}
      </Link>
    </li>
  );
}
