import type { Translate } from '@/lib/i18n/translator';
import type { Option } from '@/ui/option';

/** In place of an id for things that belong to no tenant: they reach the whole installation. */
export const NO_TENANT = 'none';

/** The tenants somebody can choose between; empty when there is nothing to choose. */
export function tenantOptions(
  t: Translate,
  tenants: readonly { id: string; name: string }[],
  everywhere: boolean,
): Option[] {
  const named = tenants.map(({ id, name }) => ({ value: id, label: name }));
  const all = everywhere
    ? [{ value: NO_TENANT, label: t('Whole installation'), description: t('May name workloads of every tenant.') }]
    : [];
  const options = [...all, ...named];
  return options.length > 1 ? options : [];
}

/** What is chosen at first; also where there is nothing to choose, somebody of the whole installation acts for it. */
export const firstTenant = (options: readonly Option[], everywhere: boolean): string | null =>
  options[0]?.value ?? (everywhere ? NO_TENANT : null);

/** `tenant_id` as it is sent: left out when there was nothing to choose. */
export const toTenantId = (choice: string | null): { tenant_id?: string | null } =>
  choice === null ? {} : { tenant_id: choice === NO_TENANT ? null : choice };
