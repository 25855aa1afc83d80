import { isExcepted, parseTestEndpoint } from '../policy-tests/test-endpoint';
import type { OwnerId } from './acts-on';
import { EXCEPT } from './choices';
import { formatEndpoint } from './endpoint';
import type { InventoryIndex } from './inventory-index';
import { findGroups } from './resolve';

type Groups = InventoryIndex['groups'];

/**
 * The groups that a name means when it is written: those of the owner. When the installation has none of this name, those of tenants,
 * but not of their projects.
 */
export function findNamedGroups(name: string, groups: Groups, owner: OwnerId) {
  const found = findGroups(name, groups, owner);
  if (owner !== null || found.length > 0) return found;
  return (groups.get(name) ?? []).filter(({ project_id }) => (project_id ?? null) === null);
}

/** The name of the group that an endpoint of a policy or test names. Null: it names none. */
export function readGroupName(text: string): string | null {
  const parsed = parseTestEndpoint(text);
  return !('error' in parsed) && parsed.kind === 'security_group' ? parsed.reference : null;
}

/**
 * An endpoint as it is stored: the installation names the group of a tenant by its id, so that no group which gets the same name later
 * is meant as well. A name of several groups stays, and resolves to nothing.
 */
export function pinGroup(text: string, groups: Groups, owner: OwnerId): string {
  const name = owner === null ? readGroupName(text) : null;
  if (name === null || findGroups(name, groups, owner).length > 0) return text;
  const [group, ...others] = findNamedGroups(name, groups, owner);
  if (!group || others.length > 0) return text;
  return (isExcepted(text.trim()) ? EXCEPT : '') + formatEndpoint({ kind: 'security_group', reference: group.id });
}
