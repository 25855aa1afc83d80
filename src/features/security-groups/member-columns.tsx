import type { SecurityGroupMember } from '@/domain/security-group';
import type { Translate } from '@/lib/i18n/translator';
import { Badge } from '@/ui/badge';
import { createColumnHelper } from '@/ui/columns';
import { Missing, Mono } from '@/ui/values';
import { ClusterLink, WorkloadLink } from '../shared/entity-links';
import { MissingSince, SHORT_KIND_LABELS, WORKLOAD_STATES, WorkloadState } from '../shared/inventory-states';
import { SOURCE_LABELS } from './group-labels';

const make = createColumnHelper<SecurityGroupMember>();

export const memberColumns = (t: Translate) => [
  make.text('workload_name', t('Name'), (member) => member.workload_name, {
    sortable: true,
    width: 190,
    grow: true,
    render: (member) => (
      <span className="inline-flex max-w-full items-center gap-1.5">
        <span className="truncate">
          <WorkloadLink id={member.workload_id} name={member.workload_name} />
        </span>
        <MissingSince at={member.missing_since} />
      </span>
    ),
  }),
  make.custom('source', t('Membership'), (member) => <Badge>{t(SOURCE_LABELS[member.source])}</Badge>, {
    sortable: true,
    width: 124,
    csv: (member) => t(SOURCE_LABELS[member.source]),
  }),
  make.custom('vmid', t('VMID'), (member) => <Mono>{member.vmid}</Mono>, {
    sortable: true,
    width: 84,
    align: 'end',
    csv: (member) => member.vmid,
  }),
  make.custom('status', t('Status'), (member) => <WorkloadState status={member.status} />, {
    sortable: true,
    width: 110,
    csv: (member) => t(WORKLOAD_STATES[member.status].word),
  }),
  make.text('kind', t('Kind'), (member) => t(SHORT_KIND_LABELS[member.kind]), { width: 100 }),
  make.custom(
    'addresses',
    t('Addresses'),
    (member) =>
      member.addresses.length > 0 ? (
        <span className="mono" title={member.addresses.join('\n')}>
          {member.addresses.join(', ')}
        </span>
      ) : (
        <Missing label={t('No address known')} />
      ),
    { width: 190, grow: true, csv: (member) => member.addresses.join(' ') },
  ),
  make.text('cluster_name', t('Cluster'), (member) => member.cluster_name, {
    sortable: true,
    width: 130,
    render: (member) => <ClusterLink id={member.cluster_id} name={member.cluster_name} />,
  }),
  make.time('created_at', t('Added'), (member) => member.created_at),
  make.mono('workload_external_id', t('External ID'), (member) => member.workload_external_id, {
    hidden: true,
    width: 120,
  }),
];
