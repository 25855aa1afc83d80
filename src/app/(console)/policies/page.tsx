import { PolicyList } from '@/features/policies/policy-list';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Policies'));

export default function PoliciesPage() {
  return <PolicyList />;
}
