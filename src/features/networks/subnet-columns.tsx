import type { NetworkSubnet } from '@/domain/inventory';
import type { Translate } from '@/lib/i18n/translator';
import { createColumnHelper } from '@/ui/columns';
import { Status } from '@/ui/status';
import { SubnetLink } from '../shared/entity-links';
import { IPAM_SOURCE_LABELS, MissingSince } from '../shared/inventory-states';

const make = createColumnHelper<NetworkSubnet>();

export const subnetColumns = (t: Translate) => [
  make.custom(
    'cidr',
    t('Prefix'),
    (subnet) => (
      <span className="inline-flex items-center gap-1.5">
        <SubnetLink id={subnet.id} cidr={subnet.cidr} />
        <MissingSince at={subnet.missing_since} />
      </span>
    ),
    { width: 200, grow: true, csv: (subnet) => subnet.cidr },
  ),
  make.mono('gateway', t('Gateway'), (subnet) => subnet.gateway, { width: 150 }),
  make.mono('dns_servers', t('DNS servers'), (subnet) => subnet.dns_servers.join(', '), { width: 200 }),
  make.custom(
    'dhcp_enabled',
    'DHCP',
    (subnet) => <Status tone={subnet.dhcp_enabled ? 'ok' : 'off'}>{subnet.dhcp_enabled ? t('On') : t('Off')}</Status>,
    { width: 90, csv: (subnet) => subnet.dhcp_enabled },
  ),
  make.number('addresses_total', t('Addresses'), (subnet) => subnet.addresses_total),
  make.text('source', t('Data source'), (subnet) => t(IPAM_SOURCE_LABELS[subnet.source]), { width: 110 }),
];
