import { ChangeDetail } from '@/features/changes/detail/change-detail';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Change'));

export default async function ChangePage({ params }: { params: Promise<{ changeId: string }> }) {
  const { changeId } = await params;
  return <ChangeDetail changeId={changeId} />;
}
