import type { Metadata } from 'next';
import { AuditList } from '@/features/audit/audit-list';

export const metadata: Metadata = { title: 'Audit' };

export default function AuditPage() {
  return <AuditList />;
}
