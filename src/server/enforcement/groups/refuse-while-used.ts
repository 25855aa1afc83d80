import type { Reach } from '@/domain/permissions';
import { AppError } from '../../lib/errors';
import type { GroupUser } from '../queries/security-groups';
import { usageOf } from './read-group-usage';

/**
 * Policies that name something which is gone stand for less than before, and applying them would take rules away. So
 * what is named is not taken away.
 * @throws AppError `conflict` naming the policies when there are any
 */
export function refuseWhileUsed(
  what: string,
  users: readonly GroupUser[],
  endpoints: readonly string[],
  reach: Reach,
): void {
  const naming = users.filter(({ definition }) =>
    [...definition.sources, ...definition.targets].some((endpoint) => endpoints.includes(endpoint)),
  );
  if (naming.length === 0) return;
  const used_by = usageOf(naming, endpoints, reach);
  const names = used_by.policies.slice(0, 5).map(({ name }) => name);
  const others = naming.length - names.length;
  const list = [...names, ...(others > 0 ? [`${others} ${names.length > 0 ? 'more' : 'that you may not see'}`] : [])];
  throw new AppError('conflict', `${what} is named by policies: ${list.join(', ')}. Change those policies first.`, {
    extra: { used_by },
  });
}
