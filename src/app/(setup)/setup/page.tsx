import { Setup } from '@/features/setup/setup';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Setup'));

export default function SetupPage() {
  return <Setup />;
}
