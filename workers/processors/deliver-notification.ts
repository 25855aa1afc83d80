import { deliverNotification as deliver } from '@/server/services/notifications/deliver-notification';
import type { JobProcessors } from '../job-processors';

/** `notification.deliver` */
export const deliverNotification: JobProcessors['notification.deliver'] = ({ delivery_id }, context) =>
  deliver(delivery_id, context);
