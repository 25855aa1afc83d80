import { Settings } from '@/features/settings/settings';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Settings'));

export default function SettingsPage() {
  return <Settings />;
}
