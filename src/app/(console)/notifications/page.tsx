import { Notifications } from '@/features/notifications/notifications';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Notifications'));

export default function NotificationsPage() {
  return <Notifications />;
}
