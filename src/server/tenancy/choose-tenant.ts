import type { TenantReach } from '@/domain/permissions';
import type { Tx } from '../db/client';
import { AppError } from '../lib/errors';
import { tenantExists } from './queries/tenants';

const wrong = (message: string) =>
  new AppError('malformed', message, { errors: [{ field: 'tenant_id', message: 'Name a tenant that you act for.' }] });

/**
 * The tenant that something new belongs to. Whoever acts for the whole installation may leave it out or say null: then it
 * belongs to none. Others must name one of theirs, unless they have only one.
 * @throws AppError `malformed` naming the field
 */
export async function chooseTenant(
  tx: Tx,
  reach: TenantReach,
  wanted: string | null | undefined,
): Promise<string | null> {
  if (reach === 'all') {
    if (wanted && !(await tenantExists(tx, wanted))) throw wrong('There is no such tenant.');
    return wanted ?? null;
  }
  const [only, ...more] = reach;
  if (wanted === undefined && only !== undefined && more.length === 0) return only;
  if (wanted === undefined) throw wrong('You act for several tenants: say which one this belongs to.');
  if (wanted === null || !reach.includes(wanted)) throw wrong('There is no such tenant.');
  return wanted;
}
