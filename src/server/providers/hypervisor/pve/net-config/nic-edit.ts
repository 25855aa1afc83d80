import { isDeepStrictEqual } from 'node:util';
import type { GuestKind } from '../../types';
import { formatNicTokens, setNicToken } from './nic-tokens';
import { viewNic } from './nic-view';

export type NicEdit = { ok: true; text: string; changed: boolean } | { ok: false; reason: string };

/**
 * The `netN` value with its firewall flag set, every other token byte for byte as stored: a lost MAC address would be
 * replaced by a new one and a lost tag would move the guest to another network.
 */
export function setNicFirewall(kind: GuestKind, text: string, enabled: boolean): NicEdit {
  const before = viewNic(kind, text);
  if (!before.ok) return before;
  const { fields, tokens } = before.view;
  // Any edit of an interface without a bridge unplugs it from a running virtual machine.
  if (fields.bridge === null) return { ok: false, reason: 'the interface has no bridge' };
  if (fields.mac === null)
    return { ok: false, reason: 'the interface has no stored MAC address; writing it would generate a new one' };
  if (fields.firewall === enabled) return { ok: true, text, changed: false };
  const edited = formatNicTokens(setNicToken(tokens, 'firewall', enabled ? '1' : '0'));
  const after = viewNic(kind, edited);
  if (!after.ok || !isDeepStrictEqual(after.view.fields, { ...fields, firewall: enabled }))
    return { ok: false, reason: 'setting the flag would change another property' };
  return { ok: true, text: edited, changed: true };
}
