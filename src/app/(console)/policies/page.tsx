import { PolicyList } from '@/features/policies/policy-list';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Policies'));

export default function PoliciesPage() {
  return <PolicyList />;
}
