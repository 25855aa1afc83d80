import { AuditList } from '@/features/audit/audit-list';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Audit'));

export default function AuditPage() {
  return <AuditList />;
}
