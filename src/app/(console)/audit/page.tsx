import { AuditList } from '@/features/audit/audit-list';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Audit'));

export default function AuditPage() {
  return <AuditList />;
}
