import { Settings } from '@/features/settings/settings';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Settings'));

export default function SettingsPage() {
  return <Settings />;
}
