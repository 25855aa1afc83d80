import { RecertificationList } from '@/features/policies/recertification/recertification-list';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Recertification'));

export default function RecertificationPage() {
  return <RecertificationList />;
}
