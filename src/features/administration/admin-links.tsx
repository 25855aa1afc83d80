import { paths } from '@/lib/paths';
import { Link } from '@/ui/link';

export function TenantLink({ id, name }: { id: string; name: string }) {
  return (
    <Link className="link" href={paths.tenant({ tenantId: id })}>
      {name}
    </Link>
  );
}

export function RoleLink({ id, title }: { id: string; title: string }) {
  return (
    <Link className="link" href={paths.role({ roleId: id })}>
      {title}
    </Link>
  );
}

export function UserLink({ id, email }: { id: string; email: string }) {
  return (
    <Link className="link" href={paths.user({ userId: id })}>
      {email}
    </Link>
  );
}
