import Link from 'next/link';
import { paths } from '@/lib/paths';

export function SecurityGroupLink({ id, name }: { id: string; name: string }) {
  return (
    <Link className="link" href={paths.securityGroup({ groupId: id })}>
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
