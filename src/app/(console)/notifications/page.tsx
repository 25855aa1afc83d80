import { Notifications } from '@/features/notifications/notifications';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Notifications'));

export default function NotificationsPage() {
  return <Notifications />;
}
