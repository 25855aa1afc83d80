import { RequestSuggestion } from '@/features/policies/suggest/request-suggestion';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Suggest policies'));

export default function NewSuggestionPage() {
  return <RequestSuggestion />;
}
