import type { SubnetDetail } from '@/domain/ipam/subnet';
import { useT } from '@/lib/i18n/use-t';
import { Properties } from '@/ui/properties';
import { Status } from '@/ui/status';
import { Mono, RelativeTime } from '@/ui/values';
import { ClusterLink, NetworkLink, SubnetLink } from '../shared/entity-links';
import { IPAM_SOURCE_LABELS } from '../shared/inventory-states';
import { UsageMeter } from '../shared/ipam/usage-meter';

/** What is noted about a prefix, and how full it is. */
export function SubnetFacts({ subnet }: { subnet: SubnetDetail }) {
  const t = useT();
  const { usage } = subnet;
  const parent = subnet.ancestors.at(-1);
  return (
    <Properties
      columns={2}
      items={[
        {
          // Only the grid shows how many are free: it knows ranges, prefixes inside and the gateway.
          label: t('Addresses used'),
          value: <UsageMeter cidr={subnet.cidr} usage={usage} />,
          hint: usage.stale > 0 ? t('{n, number} stale, not counted as used', { n: usage.stale }) : undefined,
        },
        { label: t('Network'), value: <NetworkLink id={subnet.network_id} name={subnet.network_name} /> },
        { label: t('Cluster'), value: <ClusterLink id={subnet.cluster_id} name={subnet.cluster_name} /> },
        { label: t('Gateway'), value: subnet.gateway && <Mono>{subnet.gateway}</Mono> },
        { label: t('Parent prefix'), value: parent && <SubnetLink id={parent.id} cidr={parent.cidr} /> },
        {
          label: t('DNS servers'),
          value: subnet.dns_servers.length > 0 ? <Mono wrap>{subnet.dns_servers.join(', ')}</Mono> : null,
        },
        { label: 'VLAN', value: subnet.vlan_tag },
        {
          label: 'DHCP',
          value: <Status tone={subnet.dhcp_enabled ? 'ok' : 'off'}>{subnet.dhcp_enabled ? t('On') : t('Off')}</Status>,
        },
        {
          label: t('Data source'),
          value: (
            <>
              {t(IPAM_SOURCE_LABELS[subnet.source])}, <RelativeTime at={subnet.created_at} />
            </>
          ),
        },
      ]}
    />
  );
}
