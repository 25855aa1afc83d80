import { ChangeList } from '@/features/changes/change-list';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Changes'));

export default function ChangesPage() {
  return <ChangeList />;
}
