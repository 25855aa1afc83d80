import type { GuestKind } from '../../types';

const part = (value: unknown, key: string): string | null => {
  if (typeof value !== 'string') return null;
  const match = value.split(',').find((item) => item.startsWith(`${key}=`));
  const text = match?.slice(key.length + 1).trim();
  return text && text.length <= 100 ? text.toLowerCase() : null;
};

/**
 * What tells a guest from another one that got its number later. A virtual machine keeps its SMBIOS uuid over
 * rollback, migration and restore, and a clone gets a new one; the generation id changes with every rollback and comes
 * last. A container has nothing but the address of its first card. null when there is nothing to compare.
 */
export function creationFingerprint(
  kind: GuestKind,
  config: Readonly<Record<string, unknown>>,
  firstMac: string | null,
): string | null {
  if (kind === 'lxc') return firstMac === null ? null : `mac:${firstMac}`;
  const uuid = part(config.smbios1, 'uuid');
  if (uuid !== null) return `uuid:${uuid}`;
  const created = part(config.meta, 'ctime');
  if (created !== null) return `ctime:${created}`;
  return typeof config.vmgenid === 'string' ? `vmgenid:${config.vmgenid.slice(0, 100).toLowerCase()}` : null;
}
