import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';
import { Home } from './home';

export const generateMetadata = withTitle(msg('Dashboard'));

export default function HomePage() {
  return <Home />;
}
