'use client';
import { type Permission, reachOf } from '@/domain/permissions';
import { useSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import type { Option } from '@/ui/option';
import { tenantOptions } from './tenant-options';

/** The tenants for which the signed-in user holds the permission, as choices; empty when there is nothing to choose. */
export function useTenantOptions(permission: Permission): Option[] {
  const t = useT();
  const state = useSession();
  if (state.status !== 'signed_in') return [];
  const { grants, tenants } = state.user;
  const reach = reachOf(grants, permission);
  return reach === 'all'
    ? tenantOptions(t, tenants, true)
    : tenantOptions(
        t,
        tenants.filter(({ id }) => reach.includes(id)),
        false,
      );
}
