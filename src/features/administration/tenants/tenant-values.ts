import type { MaintenanceWindow } from '@/domain/change/maintenance';
import type { WEEKDAYS } from '@/domain/choices';
import type { Tenant } from '@/domain/tenant';

/** A number is null while its box is empty. */
type WindowValues = {
  days: (typeof WEEKDAYS)[number][];
  from: string;
  minutes: number | null;
  time_zone: string | null;
};

/** The form of a tenant. */
export type TenantValues = Pick<
  Tenant,
  'name' | 'description' | 'on_move' | 'on_expiry' | 'recertification_days' | 'approval_scope'
> & {
  approvals_required: number | null;
  maintenance_windows: WindowValues[];
};

export const EMPTY_TENANT: TenantValues = {
  name: '',
  description: '',
  on_move: 'remove',
  on_expiry: 'report',
  recertification_days: null,
  approvals_required: 0,
  approval_scope: 'enforcing',
  maintenance_windows: [],
};

export const toTenantValues = (tenant: Tenant): TenantValues => ({
  name: tenant.name,
  description: tenant.description,
  on_move: tenant.on_move,
  on_expiry: tenant.on_expiry,
  recertification_days: tenant.recertification_days,
  approvals_required: tenant.approvals_required,
  approval_scope: tenant.approval_scope,
  maintenance_windows: tenant.maintenance_windows,
});

/** A window to begin with: nights of the weekend where the browser is. */
export const createWindow = (): MaintenanceWindow => ({
  days: ['sat'],
  from: '22:00',
  minutes: 240,
  time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
});
