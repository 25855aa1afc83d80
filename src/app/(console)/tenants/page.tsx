import { TenantList } from '@/features/administration/tenants/tenant-list';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Tenants'));

export default function TenantsPage() {
  return <TenantList />;
}
