'use client';
import { type Permission, reachOf, tenantsOf } from '@/domain/permissions';
import { useSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import type { Option } from '@/ui/option';
import { firstTenant, tenantOptions } from './tenant-options';

/** The tenants for which the signed-in user holds the permission, as choices; empty when there is nothing to choose. */
export const useTenantOptions = (permission: Permission): Option[] => useTenantChoice(permission).options;

/** The same with what is chosen at first. */
export function useTenantChoice(permission: Permission): { options: Option[]; first: string | null } {
  const t = useT();
  const state = useSession();
  if (state.status !== 'signed_in') return { options: [], first: null };
  const { grants, tenants } = state.user;
  const reach = tenantsOf(reachOf(grants, permission));
  const everywhere = reach === 'all';
  const options = tenantOptions(t, everywhere ? tenants : tenants.filter(({ id }) => reach.includes(id)), everywhere);
  return { options, first: firstTenant(options, everywhere) };
}
