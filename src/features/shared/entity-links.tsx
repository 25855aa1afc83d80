'use client';
import { useSearchParams } from 'next/navigation';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Link } from '@/ui/link';
import { Missing } from '@/ui/values';
import { usePermissions } from './use-permissions';

/** Clusters and nodes are for those who may see all of an installation; others read the name. */
export function ClusterLink({ id, name }: { id: string; name: string }) {
  const { can } = usePermissions();
  if (!can('cluster:read')) return name;
  return (
    <Link className="link" href={paths.cluster({ clusterId: id })}>
      {name}
    </Link>
  );
}

/** Opens the tab with what the thing filters. */
const FIREWALL = { tab: 'firewall' };

type NodeProps = {
  id: string | null;
  name: string | null;
  /** Leads to what the node filters. */
  firewall?: boolean;
};

/** A guest whose node is not known has none to link to. */
export function NodeLink({ id, name, firewall }: NodeProps) {
  const t = useT();
  const { can } = usePermissions();
  if (!id || !name) return <Missing label={t('Unknown')} />;
  if (!can('cluster:read')) return name;
  return (
    <Link className="link" href={paths.node({ nodeId: id, ...(firewall && FIREWALL) })}>
      {name}
    </Link>
  );
}

/** From a page that is shown as of a time, links lead to what was then. */
const useShownTime = () => useSearchParams()?.get('as_of') ?? undefined;

export function WorkloadLink({ id, name }: { id: string; name: string }) {
  const as_of = useShownTime();
  return (
    <Link className="link" href={paths.workload({ workloadId: id, as_of })}>
      {name}
    </Link>
  );
}

export function NetworkLink({ id, name, firewall }: { id: string | null; name: string; firewall?: boolean }) {
  if (!id) return <span className="mono">{name}</span>;
  return (
    <Link className="link mono" href={paths.network({ networkId: id, ...(firewall && FIREWALL) })}>
      {name}
    </Link>
  );
}

export function SubnetLink({ id, cidr }: { id: string; cidr: string }) {
  return (
    <Link className="link mono" href={paths.subnet({ subnetId: id })}>
      {cidr}
    </Link>
  );
}

export function AddressLink({ id, address }: { id: string; address: string }) {
  const as_of = useShownTime();
  return (
    <Link className="link mono" href={paths.address({ addressId: id, as_of })}>
      {address}
    </Link>
  );
}

export function SecurityGroupLink({ id, name }: { id: string; name: string }) {
  const as_of = useShownTime();
  return (
    <Link className="link" href={paths.securityGroup({ groupId: id, as_of })}>
      {name}
    </Link>
  );
}

export function PolicyLink({ id, name }: { id: string; name: string }) {
  return (
    <Link className="link" href={paths.policy({ policyId: id })}>
      {name}
    </Link>
  );
}
