import { ReachPage } from '@/features/reach/reach-page';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Reachability'));

export default function Reachability() {
  return <ReachPage />;
}
