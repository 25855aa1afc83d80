import type { Translate } from '@/lib/i18n/translator';
import { createColumnHelper } from '@/ui/columns';
import { Status } from '@/ui/status';
import { Missing, Mono } from '@/ui/values';
import { ClusterLink, NetworkLink, SubnetLink } from '../shared/entity-links';
import { IPAM_SOURCE_LABELS, MissingSince } from '../shared/inventory-states';
import { UsageMeter } from '../shared/ipam/usage-meter';
import type { PrefixItem } from './prefix-rows';

const make = createColumnHelper<PrefixItem>();

const getNetwork = (item: PrefixItem) => (item.kind === 'failure' ? null : item.network);
const getSubnet = (item: PrefixItem) => (item.kind === 'subnet' ? item.subnet : null);

export const prefixColumns = (t: Translate) => [
  make.custom(
    'prefix',
    t('Network or prefix'),
    (item) => {
      if (item.kind === 'failure') return <span className="truncate text-danger">{item.message}</span>;
      const { missing_since } = item.kind === 'network' ? item.network : item.subnet;
      return (
        <span className="inline-flex min-w-0 items-center gap-1.5">
          <span className="truncate">
            {item.kind === 'network' ? (
              <NetworkLink id={item.network.id} name={item.network.name} />
            ) : (
              <SubnetLink id={item.subnet.id} cidr={item.subnet.cidr} />
            )}
          </span>
          <MissingSince at={missing_since} />
        </span>
      );
    },
    { width: 240, grow: true },
  ),
  make.custom(
    'usage',
    t('Addresses used'),
    (item) => {
      if (item.kind === 'subnet') return <UsageMeter cidr={item.subnet.cidr} usage={item.subnet.usage} />;
      if (item.kind === 'failure') return null;
      const { subnets_total: total } = item.network;
      return (
        <span className="text-muted">
          {total === 0 ? t('No prefixes') : t('{n, plural, one {# prefix} other {# prefixes}}', { n: total })}
        </span>
      );
    },
    { width: 190 },
  ),
  make.text(
    'description',
    t('Description'),
    (item) => getSubnet(item)?.description || (item.kind === 'network' ? item.network.description : null),
    { width: 160, grow: true },
  ),
  make.custom(
    'cluster_name',
    t('Cluster'),
    (item) => {
      const network = getNetwork(item);
      if (item.kind !== 'network' || !network) return null;
      return <ClusterLink id={network.cluster_id} name={network.cluster_name} />;
    },
    { width: 130 },
  ),
  make.custom('gateway', t('Gateway'), (item) => forSubnet(item, (subnet) => <Text mono text={subnet.gateway} />), {
    width: 140,
  }),
  make.custom(
    'vlan_tag',
    'VLAN',
    (item) => {
      const tag = getSubnet(item)?.vlan_tag ?? (item.kind === 'network' ? item.network.vlan_tag : null);
      return item.kind === 'failure' ? null : <Text text={tag === null ? null : String(tag)} />;
    },
    { width: 60, align: 'end' },
  ),
  make.custom(
    'dhcp_enabled',
    'DHCP',
    (item) =>
      forSubnet(item, (subnet) => (
        <Status tone={subnet.dhcp_enabled ? 'ok' : 'off'}>{subnet.dhcp_enabled ? t('On') : t('Off')}</Status>
      )),
    { width: 76 },
  ),
  make.custom(
    'source',
    t('Data source'),
    (item) => (item.kind === 'failure' ? null : t(IPAM_SOURCE_LABELS[(getSubnet(item) ?? item.network).source])),
    { hidden: true, width: 100 },
  ),
];

function forSubnet(item: PrefixItem, render: (subnet: NonNullable<ReturnType<typeof getSubnet>>) => React.ReactNode) {
  const subnet = getSubnet(item);
  return subnet ? render(subnet) : null;
}

function Text({ text, mono = false }: { text: string | null; mono?: boolean }) {
  if (text === null || text === '') return <Missing />;
  return mono ? <Mono>{text}</Mono> : text;
}
