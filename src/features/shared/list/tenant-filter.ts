'use client';
import type { Permission } from '@/domain/permissions';
import { msg } from '@/lib/i18n/translator';
import { useTenantOptions, useTenantsWithin } from '../tenant-options';
import { entity, entityOrNone, type Filter } from './filters';

/** The tenant, for those who see more than one. */
export const tenantFilter = (permission: Permission): Filter<'id'> =>
  entity(msg('Tenant'), () => useTenantsWithin(permission));

/** The same, or what belongs to the whole installation. */
export const tenantOrNoneFilter = (permission: Permission): Filter<'id_or_none'> =>
  entityOrNone(msg('Tenant'), () => useTenantOptions(permission).map(({ value, label }) => ({ value, label })));
