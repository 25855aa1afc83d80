'use client';
import type { Cluster } from '@/domain/cluster';
import { formatCount } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Button } from '@/ui/button';
import { CopyButton } from '@/ui/copy-button';
import { Link } from '@/ui/link';
import { Notice } from '@/ui/notice';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';
import { Status } from '@/ui/status';
import { Mono, RelativeTime } from '@/ui/values';
import { KnownFlag } from '../shared/inventory-states';
import { LiveRun } from '../shared/sync/live-run';
import { PLACEMENT_LABELS } from './cluster-labels';
import { findSyncRemedy } from './sync-remedy';

type Props = {
  cluster: Cluster;
  /** The run in progress, or one that was in progress while this page was open. */
  watchedRun: string | null;
  onEdit: () => void;
  onCheck: () => void;
  writeReason: string | null;
};

/** What is known about the cluster itself, and what is wrong with it. */
export function ClusterOverview({ cluster, watchedRun, onEdit, onCheck, writeReason }: Props) {
  const t = useT();
  const trouble = cluster.active_run ? null : findSyncRemedy(cluster);
  return (
    <>
      {watchedRun && (
        <Section title={t('Sync')}>
          <LiveRun runId={watchedRun} />
        </Section>
      )}
      {trouble && (
        <Notice
          tone="danger"
          title={t(trouble.title)}
          action={
            <Button size="sm" onClick={trouble.action === 'edit' ? onEdit : onCheck} disabledReason={writeReason}>
              {t(trouble.label)}
            </Button>
          }
        >
          <p>{cluster.last_sync_error}</p>
          <p className="text-muted">
            {cluster.last_sync_at
              ? t.rich('Existing data is kept, last read {time}.', {
                  time: <RelativeTime at={cluster.last_sync_at} />,
                })
              : t('Existing data is kept.')}
          </p>
        </Notice>
      )}
      {cluster.missing_write_privileges !== null && cluster.missing_write_privileges.length > 0 && (
        <Notice
          tone="warn"
          title={t('Read-only: policies cannot be applied')}
          action={
            <Button size="sm" onClick={onCheck} disabledReason={writeReason}>
              {t('Check connection')}
            </Button>
          }
        >
          {t.rich(
            'The API token lacks <id>{privileges}</id>. Everything can be viewed and previewed. To apply policies, grant the privileges and sync the cluster.',
            {
              privileges: cluster.missing_write_privileges.join(', '),
              id: (inside) => <span className="mono">{inside}</span>,
            },
          )}
        </Notice>
      )}
      <Section>
        <div className="grid gap-x-8 lg:grid-cols-2">
          <Properties items={listConnectionProperties(t, cluster)} />
          <Properties items={listContentProperties(t, cluster)} />
        </div>
      </Section>
    </>
  );
}

/** How it is reached and in what state it is. */
function listConnectionProperties(t: Translate, cluster: Cluster) {
  return [
    { label: t('API address'), value: <Mono wrap>{cluster.api_url}</Mono> },
    {
      label: t('Cluster name'),
      value: cluster.provider_name ?? <span className="text-muted">{t('Standalone node or unknown')}</span>,
    },
    { label: 'Proxmox VE', value: cluster.provider_version && <Mono>{cluster.provider_version}</Mono> },
    { label: t('Quorum'), value: <KnownFlag value={cluster.quorate} yes={t('Yes')} no={t('Lost')} noTone="danger" /> },
    {
      label: t('Cluster firewall'),
      value: <KnownFlag value={cluster.firewall_enabled} noTone="warn" />,
      hint:
        cluster.firewall_enabled === false
          ? t('While the cluster firewall is off, no workload is filtered, whatever its rules.')
          : undefined,
    },
    {
      label: t('API token'),
      value: cluster.has_api_token ? (
        <Status tone="ok">{t('Stored')}</Status>
      ) : (
        <Status tone="danger">{t('Missing')}</Status>
      ),
    },
    {
      label: t('Certificate'),
      value: cluster.tls_fingerprint ? (
        <span className="flex items-start gap-1">
          <Mono wrap>{cluster.tls_fingerprint}</Mono>
          <CopyButton value={cluster.tls_fingerprint} label={t('Copy fingerprint')} />
        </span>
      ) : (
        t('Verified by certificate authority')
      ),
    },
  ];
}

/** What it holds, and since when. */
function listContentProperties(t: Translate, cluster: Cluster) {
  const { counts } = cluster;
  const count = (value: number, tab: string) => (
    <Link className="link tabular-nums" href={paths.cluster({ clusterId: cluster.id, tab })}>
      {formatCount(value)}
    </Link>
  );
  return [
    { label: t('Last sync'), value: <RelativeTime at={cluster.last_sync_at} none={t('Never')} /> },
    { label: t('Nodes'), value: count(counts.nodes, 'nodes') },
    { label: t('Workloads'), value: count(counts.workloads, 'workloads') },
    { label: t('Networks'), value: count(counts.networks, 'networks') },
    { label: t('Prefixes'), value: formatCount(counts.subnets) },
    { label: t('IP addresses'), value: formatCount(counts.ip_addresses) },
    { label: t('Managed rules'), value: t(PLACEMENT_LABELS[cluster.rule_placement].label) },
    { label: t('Added'), value: <RelativeTime at={cluster.created_at} /> },
  ];
}
