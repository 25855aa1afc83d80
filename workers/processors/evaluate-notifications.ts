import { evaluateRules } from '@/server/services/notifications/evaluate-rules';
import type { JobProcessors } from '../job-processors';

/** `notification.evaluate` */
export const evaluateNotifications: JobProcessors['notification.evaluate'] = () => evaluateRules();
