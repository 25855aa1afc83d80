import { SuggestionDetail } from '@/features/policies/suggest/suggestion-detail';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Suggested policies'));

export default async function SuggestionPage({ params }: { params: Promise<{ suggestionId: string }> }) {
  const { suggestionId } = await params;
  return <SuggestionDetail suggestionId={suggestionId} />;
}
