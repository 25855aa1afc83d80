'use client';
import { Download, ExternalLink, MapPin, Pencil, Plus, Split, Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useMemo } from 'react';
import type { Subnet } from '@/domain/ipam/subnet';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPCClient } from '@/lib/trpc';
import { URL_FLAG, useUrlValue, withInitial } from '@/lib/url-state';
import { Button, IconButton } from '@/ui/button';
import { buttonClass } from '@/ui/button-class';
import { EmptyState } from '@/ui/empty-state';
import { ErrorState } from '@/ui/error-state';
import { Link } from '@/ui/link';
import { Skeleton } from '@/ui/loading';
import { RowActions } from '@/ui/menu';
import { showToast } from '@/ui/toast';
import { TreeTable } from '@/ui/tree-table';
import { useAuditedExport } from '../shared/use-csv-export';
import { usePermissions } from '../shared/use-permissions';
import { SUBNET_EXPORT } from './export-columns';
import { prefixColumns } from './prefix-columns';
import type { PrefixItem } from './prefix-rows';
import { usePrefixTree } from './use-prefix-tree';
import type { useSubnetDialogs } from './use-subnet-dialogs';

type Props = { clusterId: string | null; subnets: ReturnType<typeof useSubnetDialogs> };

/** The prefixes of every network, nested, with how full they are. */
export function PrefixTree({ clusterId, subnets }: Props) {
  const t = useT();
  const router = useRouter();
  const [withEmpty, setWithEmpty] = useUrlValue('empty', withInitial(URL_FLAG, false));
  const tree = usePrefixTree({ clusterId, withEmpty });
  const columns = useMemo(() => prefixColumns(t), [t]);
  const { reason } = usePermissions();
  const writeReason = reason('ipam:write');
  if (tree.error) return <ErrorState problem={tree.error} onRetry={tree.retry} />;
  if (tree.loading) return <Skeleton className="min-h-80 flex-1" />;
  if (tree.rows.length === 0) {
    return (
      <Nothing
        networks={tree.networks?.length ?? 0}
        onShowEmpty={() => void setWithEmpty(true)}
        onAdd={() => subnets.add()}
        writeReason={writeReason}
      />
    );
  }
  const actions = (item: PrefixItem) => {
    if (item.kind === 'failure') {
      return (
        <Button size="sm" variant="ghost" onClick={tree.retry}>
          {t('Retry')}
        </Button>
      );
    }
    const { network } = item;
    const add = (cidr?: string) => subnets.add({ network, cidr });
    if (item.kind === 'network') {
      return (
        <RowActions
          name={network.name}
          entries={[
            { id: 'add', label: t('Add prefix'), icon: <Plus />, onSelect: () => add(), disabledReason: writeReason },
            {
              kind: 'link',
              id: 'open',
              label: t('Open network'),
              icon: <ExternalLink />,
              render: <Link href={paths.network({ networkId: network.id })} />,
            },
          ]}
        />
      );
    }
    const { subnet } = item;
    return (
      <span className="inline-flex items-center gap-1">
        <IconButton
          size="sm"
          label={t('Reserve next free address')}
          icon={<MapPin size={14} />}
          onClick={() => subnets.reserve({ ...subnet, network_name: network.name })}
          disabledReason={writeReason}
        />
        <RowActions
          name={subnet.cidr}
          entries={[
            {
              id: 'next',
              label: t('Allocate next child prefix'),
              icon: <Split />,
              onSelect: () => subnets.next(subnet),
              disabledReason: writeReason,
            },
            {
              id: 'add',
              label: t('Add child prefix'),
              icon: <Plus />,
              onSelect: () => add(subnet.cidr),
              disabledReason: writeReason,
            },
            {
              id: 'edit',
              label: t('Edit prefix'),
              icon: <Pencil />,
              onSelect: () => subnets.edit(subnet),
              disabledReason: writeReason,
            },
            {
              id: 'delete',
              label: t('Delete prefix'),
              icon: <Trash2 />,
              tone: 'danger',
              onSelect: () => subnets.remove(subnet),
              disabledReason: writeReason,
            },
          ]}
        />
      </span>
    );
  };
  return (
    <TreeTable
      id="prefix-tree"
      label={t('Prefixes')}
      columns={columns}
      rows={tree.rows}
      refreshing={tree.refreshing}
      onToggle={(row) => tree.toggle(row.id, row.expanded === true)}
      onOpen={(row) => {
        if (row.item.kind === 'subnet') router.push(paths.subnet({ subnetId: row.item.subnet.id }));
        else if (row.expanded !== null) tree.toggle(row.id, row.expanded);
      }}
      actions={actions}
      actionsWidth={72}
      footer={
        <>
          <span role="status" className="tabular-nums">
            {t('{n, plural, one {# network shown} other {# networks shown}}', {
              n: tree.rows.filter((row) => row.item.kind === 'network').length,
            })}
          </span>
          {(tree.hidden > 0 || withEmpty) && (
            <Button size="sm" variant="ghost" onClick={() => void setWithEmpty(!withEmpty || null)}>
              {withEmpty
                ? t('Hide networks without prefixes')
                : t('Show {n, plural, one {# more network} other {# more networks}} without prefixes', {
                    n: tree.hidden,
                  })}
            </Button>
          )}
          <span className="ml-auto">
            <TreeExport clusterId={clusterId} />
          </span>
        </>
      }
    />
  );
}

/** Hands out every prefix as a file that can be imported again. */
function TreeExport({ clusterId }: { clusterId: string | null }) {
  const t = useT();
  const client = useTRPCClient();
  const exporting = useAuditedExport<Subnet>({
    name: 'subnets',
    filters: clusterId ? { cluster_id: clusterId } : {},
    columns: SUBNET_EXPORT,
    pages: async function* (signal) {
      let cursor: string | undefined;
      do {
        const page = await client.subnets.list.query(
          { limit: 500, ...(clusterId && { cluster_id: clusterId }), ...(cursor && { cursor }) },
          { signal },
        );
        yield page.items;
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
    },
    onError: (error) => {
      const { title, detail } = toFailure(error);
      showToast('danger', { title: t('Could not export the prefixes'), description: detail ?? title });
    },
  });
  if (exporting.pending) {
    return (
      <Button size="sm" variant="ghost" onClick={exporting.cancel}>
        {t('Stop export ({n, number})', { n: exporting.exported })}
      </Button>
    );
  }
  return <IconButton size="sm" label={t('Export as CSV')} icon={<Download size={14} />} onClick={exporting.start} />;
}

type NothingProps = { networks: number; onShowEmpty: () => void; onAdd: () => void; writeReason: string | null };

function Nothing({ networks, onShowEmpty, onAdd, writeReason }: NothingProps) {
  const t = useT();
  const { can } = usePermissions();
  if (networks === 0) {
    return (
      <EmptyState
        icon={<MapPin />}
        title={t('No networks yet')}
        action={
          can('cluster:read') && (
            <Link className={buttonClass()} href={paths.clusters()}>
              {t('Go to clusters')}
            </Link>
          )
        }
      >
        {can('cluster:read')
          ? t('Networks appear after the first successful sync of a cluster, prefixes and addresses after discovery.')
          : t(
              'Networks that workloads of your tenant are attached to appear here, with the addresses of those workloads.',
            )}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<MapPin />}
      title={t('No prefixes yet')}
      action={
        <>
          <Button variant="primary" onClick={onAdd} disabledReason={writeReason}>
            {t('Add prefix')}
          </Button>
          <Button onClick={onShowEmpty}>{t('Show networks')}</Button>
        </>
      }
    >
      {t('Discover addresses to find the prefixes in use, or add known prefixes.')}
    </EmptyState>
  );
}
