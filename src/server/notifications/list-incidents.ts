import type { Page } from '@/domain/list';
import type { NotificationIncident, NotificationIncidentListInput } from '@/domain/notifications/incident';
import type { Scope } from '../auth/scope';
import * as repository from './queries/notification-incidents';

/** One page of the incidents of rules within reach. */
export function listIncidents(
  scope: Scope<'notification:read'>,
  input: NotificationIncidentListInput,
): Promise<Page<NotificationIncident>> {
  return repository.listIncidents(scope.tenants, input);
}
