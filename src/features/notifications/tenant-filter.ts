import { msg } from '@/lib/i18n/translator';
import { entityOrNone } from '../shared/list/filters';
import { useTenantOptions } from '../shared/use-tenant-options';

/** The filter by tenant, for those who see more than one. */
export const TENANT = entityOrNone(msg('Tenant'), () =>
  useTenantOptions('notification:read').map(({ value, label }) => ({ value, label })),
);
