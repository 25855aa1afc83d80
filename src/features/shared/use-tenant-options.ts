'use client';
import { type Permission, reachOf } from '@/domain/permissions';
import { useSession } from '@/lib/browser-session';
import type { Option } from '@/ui/option';
import { tenantOptions } from './tenant-options';

/** The tenants for which the signed-in user holds the permission, as choices; empty when there is nothing to choose. */
export function useTenantOptions(permission: Permission): Option[] {
  const state = useSession();
  if (state.status !== 'signed_in') return [];
  const { grants, tenants } = state.user;
  const reach = reachOf(grants, permission);
  return reach === 'all'
    ? tenantOptions(tenants, true)
    : tenantOptions(
        tenants.filter(({ id }) => reach.includes(id)),
        false,
      );
}
