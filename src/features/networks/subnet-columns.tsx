import type { NetworkSubnet } from '@/domain/inventory';
import { columnsOf } from '@/ui/columns';
import { Status } from '@/ui/status';
import { MissingSince } from '../shared/inventory-states';
import { SubnetLink } from '../shared/ipam/ipam-links';
import { IPAM_SOURCE_WORDS } from '../shared/ipam/source-words';

const make = columnsOf<NetworkSubnet>();

export const SUBNET_COLUMNS = [
  make.custom(
    'cidr',
    'Subnet',
    (subnet) => (
      <span className="inline-flex items-center gap-1.5">
        <SubnetLink id={subnet.id} cidr={subnet.cidr} />
        <MissingSince at={subnet.missing_since} />
      </span>
    ),
    { width: 200, grow: true, csv: (subnet) => subnet.cidr },
  ),
  make.mono('gateway', 'Gateway', (subnet) => subnet.gateway, { width: 150 }),
  make.mono('dns_servers', 'DNS servers', (subnet) => subnet.dns_servers.join(', '), { width: 200 }),
  make.custom(
    'dhcp_enabled',
    'DHCP',
    (subnet) => <Status tone={subnet.dhcp_enabled ? 'ok' : 'off'}>{subnet.dhcp_enabled ? 'On' : 'Off'}</Status>,
    { width: 90, csv: (subnet) => subnet.dhcp_enabled },
  ),
  make.number('addresses_total', 'Addresses', (subnet) => subnet.addresses_total, { width: 100 }),
  make.text('source', 'Known from', (subnet) => IPAM_SOURCE_WORDS[subnet.source], { width: 110 }),
];
