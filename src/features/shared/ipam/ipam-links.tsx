import Link from 'next/link';
import { paths } from '@/lib/paths';

export function SubnetLink({ id, cidr }: { id: string; cidr: string }) {
  return (
    <Link className="link mono" href={paths.subnet({ subnetId: id })}>
      {cidr}
    </Link>
  );
}

export function AddressLink({ id, address }: { id: string; address: string }) {
  return (
    <Link className="link mono" href={paths.address({ addressId: id })}>
      {address}
    </Link>
  );
}
