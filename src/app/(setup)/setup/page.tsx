import { Setup } from '@/features/setup/setup';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Setup'));

export default function SetupPage() {
  return <Setup />;
}
