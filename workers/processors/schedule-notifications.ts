import { scheduleDeliveries } from '@/server/services/notifications/start-deliveries';
import type { JobProcessors } from '../job-processors';

/** `notification.schedule` */
export const scheduleNotifications: JobProcessors['notification.schedule'] = () => scheduleDeliveries();
