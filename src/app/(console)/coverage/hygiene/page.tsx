import { HygieneList } from '@/features/shared/hygiene/hygiene-list';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Rule hygiene'));

export default function HygienePage() {
  return <HygieneList />;
}
