'use client';
import { computeReach, getReachableTenants, type Permission } from '@/domain/permissions';
import { useSession } from '@/lib/browser-session';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import type { Option } from '@/ui/option';

/** In place of an id for things that belong to no tenant: they reach the whole installation. */
export const NO_TENANT = 'none';

/** The tenants the user can choose between; empty when there is nothing to choose. */
export function tenantOptions(
  t: Translate,
  tenants: readonly { id: string; name: string }[],
  everywhere: boolean,
): Option[] {
  const named = tenants.map(({ id, name }) => ({ value: id, label: name }));
  const all = everywhere
    ? [{ value: NO_TENANT, label: t('Whole installation'), description: t('Can refer to workloads of every tenant.') }]
    : [];
  const options = [...all, ...named];
  return options.length > 1 ? options : [];
}

/** The initial choice. Where there is nothing to choose, users of the whole installation still act for it. */
export const firstTenant = (options: readonly Option[], everywhere: boolean): string | null =>
  options[0]?.value ?? (everywhere ? NO_TENANT : null);

/** `tenant_id` as it is sent: left out when there was nothing to choose. */
export const toTenantId = (choice: string | null): { tenant_id?: string | null } =>
  choice === null ? {} : { tenant_id: choice === NO_TENANT ? null : choice };

/** The tenants for which the signed-in user holds the permission, as choices; empty when there is nothing to choose. */
export const useTenantOptions = (permission: Permission): Option[] => useTenantChoice(permission).options;

/** The same without the whole installation: for views, which show it where no tenant is chosen. */
export const useTenantsWithin = (permission: Permission): Option[] =>
  useTenantOptions(permission).filter(({ value }) => value !== NO_TENANT);

/** The tenants with what is chosen at first. */
export function useTenantChoice(permission: Permission): { options: Option[]; first: string | null } {
  const t = useT();
  const state = useSession();
  if (state.status !== 'signed_in') return { options: [], first: null };
  const { grants, tenants } = state.user;
  const reach = getReachableTenants(computeReach(grants, permission));
  const everywhere = reach === 'all';
  const options = tenantOptions(t, everywhere ? tenants : tenants.filter(({ id }) => reach.includes(id)), everywhere);
  return { options, first: firstTenant(options, everywhere) };
}
