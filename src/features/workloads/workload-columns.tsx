import type { Workload } from '@/domain/inventory';
import { formatBytes } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { Badge } from '@/ui/badge';
import { createColumnHelper } from '@/ui/columns';
import { Missing } from '@/ui/values';
import { ClusterLink, NodeLink, WorkloadLink } from '../shared/entity-links';
import { MissingSince, SHORT_KIND_LABELS, WORKLOAD_STATES, WorkloadState } from '../shared/inventory-states';
import { Addresses, FirewallShare, firewallText, ProtectionReasons, protectionText, Tags } from './workload-cells';

const make = createColumnHelper<Workload>();

export const workloadColumns = (t: Translate) => [
  make.text('name', t('Name'), (workload) => workload.name, {
    sortable: true,
    width: 220,
    grow: true,
    render: (workload) => (
      <span className="inline-flex max-w-full items-center gap-1.5">
        <span className="truncate">
          <WorkloadLink id={workload.id} name={workload.name} />
        </span>
        {workload.template && <Badge>{t('Template')}</Badge>}
        {workload.lock && <Badge tone="warn">{workload.lock}</Badge>}
        <MissingSince at={workload.missing_since} />
      </span>
    ),
  }),
  make.custom('vmid', 'VMID', (workload) => <span className="mono">{workload.vmid}</span>, {
    sortable: true,
    width: 80,
    align: 'end',
    csv: (workload) => workload.vmid,
  }),
  make.custom('status', t('Status'), (workload) => <WorkloadState status={workload.status} />, {
    sortable: true,
    width: 100,
    csv: (workload) => t(WORKLOAD_STATES[workload.status].word),
  }),
  make.text('kind', t('Kind'), (workload) => t(SHORT_KIND_LABELS[workload.kind]), {
    sortable: true,
    hidden: true,
    width: 100,
  }),
  make.custom('addresses', t('Addresses'), (workload) => <Addresses workload={workload} />, {
    width: 170,
    csv: (workload) => workload.primary_addresses.join(' '),
  }),
  make.custom('protection', t('Protection'), (workload) => <ProtectionReasons workload={workload} />, {
    width: 175,
    csv: (workload) => protectionText(t, workload),
  }),
  make.custom('firewall', t('Firewall flag'), (workload) => <FirewallShare workload={workload} />, {
    hidden: true,
    width: 130,
    csv: (workload) => firewallText(t, workload),
  }),
  make.text('cluster_name', t('Cluster'), (workload) => workload.cluster_name, {
    sortable: true,
    width: 120,
    render: (workload) => <ClusterLink id={workload.cluster_id} name={workload.cluster_name} />,
  }),
  make.text('node_name', t('Node'), (workload) => workload.node_name, {
    sortable: true,
    width: 110,
    render: (workload) => <NodeLink id={workload.node_id} name={workload.node_name} />,
  }),
  make.custom(
    'tags',
    t('Tags'),
    (workload) => (workload.tags.length > 0 ? <Tags tags={workload.tags} /> : <Missing />),
    {
      width: 130,
      csv: (workload) => workload.tags.join(' '),
    },
  ),
  make.text('pool', t('Pool'), (workload) => workload.pool, { sortable: true, hidden: true, width: 110 }),
  make.number('cpu_count', t('CPUs'), (workload) => workload.cpu_count, { sortable: true, hidden: true }),
  make.number('memory_bytes', t('Memory'), (workload) => workload.memory_bytes, {
    sortable: true,
    hidden: true,
    format: formatBytes,
  }),
  make.time('started_at', t('Started'), (workload) => workload.started_at, { sortable: true, hidden: true }),
  make.text('project_name', t('Project'), (workload) => workload.project_name, {
    sortable: true,
    hidden: true,
    width: 120,
  }),
  make.text('ha_state', t('HA'), (workload) => workload.ha_state, { hidden: true, width: 100 }),
  make.time('config_read_at', t('Config last read'), (workload) => workload.config_read_at, {
    hidden: true,
    none: t('Never'),
  }),
  make.mono('external_id', t('External ID'), (workload) => workload.external_id, { hidden: true, width: 120 }),
];
