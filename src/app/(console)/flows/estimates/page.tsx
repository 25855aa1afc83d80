import { EstimateList } from '@/features/flows/estimate-list';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Estimates'));

export default function EstimatesPage() {
  return <EstimateList />;
}
