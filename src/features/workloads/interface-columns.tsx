import type { WorkloadAddress, WorkloadInterface } from '@/domain/inventory';
import type { Translate } from '@/lib/i18n/translator';
import { Badge } from '@/ui/badge';
import { createColumnHelper } from '@/ui/columns';
import { Status } from '@/ui/status';
import { Missing } from '@/ui/values';
import { AddressLink, NetworkLink, SubnetLink } from '../shared/entity-links';
import { PROTECTION_STATES, UNPROTECTED_LABELS } from '../shared/inventory-states';
import { ADDRESS_SOURCE_LABELS, ADDRESS_STATE_LABELS, AddressState } from '../shared/ipam/address-state';

const make = createColumnHelper<WorkloadInterface>();

/** `10.0.0.5/24, gateway 10.0.0.1`, as configured; null when the guest decides. */
export function ipConfigText(t: Translate, config: WorkloadInterface['ip_config']): string | null {
  if (!config) return null;
  const side = (ip?: string, gateway?: string) =>
    ip ? (gateway ? t('{ip}, gateway {gateway}', { ip, gateway }) : ip) : null;
  return [side(config.ip, config.gw), side(config.ip6, config.gw6)].filter(Boolean).join('; ') || null;
}

const interfaceProtectionText = (t: Translate, { protection, protection_reasons: reasons }: WorkloadInterface) =>
  reasons.length === 0
    ? t(PROTECTION_STATES[protection].word)
    : reasons.map((reason) => t(UNPROTECTED_LABELS[reason])).join('; ');

export const interfaceColumns = (t: Translate) => [
  make.custom(
    'name',
    t('Interface'),
    (nic) => (
      <span className="inline-flex items-center gap-1.5">
        <span className="mono">{nic.name}</span>
        {nic.guest_name && <span className="mono text-muted">{nic.guest_name}</span>}
        {nic.pending && <Badge tone="warn">{t('Change pending')}</Badge>}
        {nic.link_down && <Badge tone="off">{t('Link down')}</Badge>}
      </span>
    ),
    { width: 200, csv: (nic) => nic.name },
  ),
  make.custom(
    'firewall',
    t('Firewall flag'),
    (nic) => <Status tone={nic.firewall ? 'ok' : 'off'}>{nic.firewall ? t('On') : t('Off')}</Status>,
    {
      width: 110,
      csv: (nic) => nic.firewall,
    },
  ),
  make.custom(
    'protection',
    t('Protection'),
    (nic) => <Status tone={PROTECTION_STATES[nic.protection].tone}>{interfaceProtectionText(t, nic)}</Status>,
    { width: 180, csv: (nic) => interfaceProtectionText(t, nic) },
  ),
  make.custom(
    'bridge',
    t('Network'),
    (nic) =>
      nic.bridge ? <NetworkLink id={nic.network_id} name={nic.bridge} /> : <Missing label={t('Not attached')} />,
    { width: 120, csv: (nic) => nic.bridge },
  ),
  make.custom(
    'vlan_tag',
    'VLAN',
    (nic) =>
      nic.vlan_tag !== null ? (
        <span className="mono">{nic.vlan_tag}</span>
      ) : nic.trunks ? (
        <span className="mono">{t('trunk {vlans}', { vlans: nic.trunks })}</span>
      ) : (
        <Missing label={t('Untagged')} />
      ),
    { width: 110, csv: (nic) => nic.vlan_tag ?? nic.trunks },
  ),
  make.mono('mac', t('MAC address'), (nic) => nic.mac, { width: 150 }),
  make.text('model', t('Model'), (nic) => nic.model, { hidden: true, width: 90 }),
  make.mono('ip_config', t('Configured address'), (nic) => ipConfigText(t, nic.ip_config), { width: 220, grow: true }),
  make.number('mtu', 'MTU', (nic) => nic.mtu, { hidden: true, format: String, sample: '65535' }),
  make.text('rate_mbytes', t('Rate limit'), (nic) => (nic.rate_mbytes ? `${nic.rate_mbytes} MB/s` : null), {
    hidden: true,
    width: 100,
  }),
];

const makeAddress = createColumnHelper<WorkloadAddress>();

export const addressColumns = (t: Translate) => [
  makeAddress.custom('address', t('Address'), (item) => <AddressLink id={item.id} address={item.address} />, {
    width: 220,
    grow: true,
    csv: (item) => item.address,
  }),
  makeAddress.custom('state', t('State'), (item) => <AddressState state={item.state} />, {
    width: 110,
    csv: (item) => t(ADDRESS_STATE_LABELS[item.state].word),
  }),
  makeAddress.custom('subnet_cidr', t('Prefix'), (item) => <SubnetLink id={item.subnet_id} cidr={item.subnet_cidr} />, {
    width: 180,
    csv: (item) => item.subnet_cidr,
  }),
  makeAddress.text('source', t('Data source'), (item) => t(ADDRESS_SOURCE_LABELS[item.source]), { width: 130 }),
];
