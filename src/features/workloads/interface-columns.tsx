import type { WorkloadInterface } from '@/domain/inventory';
import { Badge } from '@/ui/badge';
import { columnsOf } from '@/ui/columns';
import { Missing } from '@/ui/missing';
import { Status } from '@/ui/status';
import { NetworkLink } from '../shared/inventory-links';

const make = columnsOf<WorkloadInterface>();

/** `10.0.0.5/24, gateway 10.0.0.1`, as configured; null when the guest decides. */
export function ipConfigText(config: WorkloadInterface['ip_config']): string | null {
  if (!config) return null;
  const side = (ip?: string, gateway?: string) => (ip ? (gateway ? `${ip}, gateway ${gateway}` : ip) : null);
  return [side(config.ip, config.gw), side(config.ip6, config.gw6)].filter(Boolean).join('; ') || null;
}

export const INTERFACE_COLUMNS = [
  make.custom(
    'name',
    'Card',
    (nic) => (
      <span className="inline-flex items-center gap-1.5">
        <span className="mono">{nic.name}</span>
        {nic.guest_name && <span className="mono text-muted">{nic.guest_name}</span>}
        {nic.pending && <Badge tone="warn">Change pending</Badge>}
        {nic.link_down && <Badge tone="off">Link down</Badge>}
      </span>
    ),
    { width: 220, csv: (nic) => nic.name },
  ),
  make.custom(
    'firewall',
    'Firewall flag',
    (nic) => <Status tone={nic.firewall ? 'ok' : 'off'}>{nic.firewall ? 'On' : 'Off'}</Status>,
    {
      width: 110,
      csv: (nic) => nic.firewall,
    },
  ),
  make.custom(
    'bridge',
    'Network',
    (nic) => (nic.bridge ? <NetworkLink id={nic.network_id} name={nic.bridge} /> : <Missing label="Not attached" />),
    { width: 120, csv: (nic) => nic.bridge },
  ),
  make.custom(
    'vlan_tag',
    'VLAN',
    (nic) =>
      nic.vlan_tag !== null ? (
        <span className="mono">{nic.vlan_tag}</span>
      ) : nic.trunks ? (
        <span className="mono">trunk {nic.trunks}</span>
      ) : (
        <Missing label="Untagged" />
      ),
    { width: 110, csv: (nic) => nic.vlan_tag ?? nic.trunks },
  ),
  make.mono('mac', 'MAC address', (nic) => nic.mac, { width: 160 }),
  make.text('model', 'Model', (nic) => nic.model, { width: 90 }),
  make.mono('ip_config', 'Configured address', (nic) => ipConfigText(nic.ip_config), { width: 240, grow: true }),
  make.number('mtu', 'MTU', (nic) => nic.mtu, { width: 72, format: String }),
  make.text('rate_mbytes', 'Rate limit', (nic) => (nic.rate_mbytes ? `${nic.rate_mbytes} MB/s` : null), { width: 100 }),
];
