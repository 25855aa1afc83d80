import { TenantList } from '@/features/administration/tenants/tenant-list';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Tenants'));

export default function TenantsPage() {
  return <TenantList />;
}
