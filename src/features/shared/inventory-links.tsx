import Link from 'next/link';
import { paths } from '@/lib/paths';
import { Missing } from '@/ui/missing';

export function ClusterLink({ id, name }: { id: string; name: string }) {
  return (
    <Link className="link" href={paths.cluster({ clusterId: id })}>
      {name}
    </Link>
  );
}

/** A guest whose node is not known has none to link to. */
export function NodeLink({ id, name }: { id: string | null; name: string | null }) {
  if (!id || !name) return <Missing label="Not known" />;
  return (
    <Link className="link" href={paths.node({ nodeId: id })}>
      {name}
    </Link>
  );
}

export function WorkloadLink({ id, name }: { id: string; name: string }) {
  return (
    <Link className="link" href={paths.workload({ workloadId: id })}>
      {name}
    </Link>
  );
}

export function NetworkLink({ id, name }: { id: string | null; name: string }) {
  if (!id) return <span className="mono">{name}</span>;
  return (
    <Link className="link mono" href={paths.network({ networkId: id })}>
      {name}
    </Link>
  );
}
