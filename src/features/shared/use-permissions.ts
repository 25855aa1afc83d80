'use client';
import type { ManagedBy } from '@/domain/managed-source';
import { computeReach, type Grantable, isWithinReach, type Owned, PERMISSIONS } from '@/domain/permissions';
import { useSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import type { Failure } from '@/lib/problem';

/** The permission that a refused request lacked, as the service names it; null when it names none. */
export function missingPermission(failure: Failure): Grantable | null {
  const named = failure.status === 403 ? failure.extra?.permission : undefined;
  return named === '*' ? '*' : (PERMISSIONS.find((one) => one === named) ?? null);
}

/** Whose something is, and what manages it as code. */
type Owner = Owned & { readonly managed_by?: ManagedBy | null };

/** What the signed-in user may do anywhere. For comfort only: the service decides at each call. */
export function usePermissions() {
  const t = useT();
  const state = useSession();
  const held = state.status === 'signed_in' ? state.user.permissions : [];
  const can = (permission: Grantable) => held.includes('*') || held.includes(permission);
  return {
    can,
    /**
     * Why a control is disabled, or null when it is not; `owner` of what it changes, where that matters: what is managed as code is
     * not changed here.
     */
    reason: (permission: Grantable, owner?: Owner) =>
      can(permission)
        ? owner?.managed_by && permission.endsWith(':write')
          ? t('Managed as code by {source}. Edit it there, or release it.', { source: owner.managed_by.source })
          : owner && state.status === 'signed_in' && !isWithinReach(owner, computeReach(state.user.grants, permission))
            ? t('Only users with this permission for the whole tenant can change it.')
            : null
        : permission === '*'
          ? t('Only a super administrator can do this.')
          : t('Requires the permission {permission}. Ask an administrator for a role with this permission.', {
              permission,
            }),
  };
}
