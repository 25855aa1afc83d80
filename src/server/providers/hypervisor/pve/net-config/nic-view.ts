import type { GuestKind, GuestNic } from '../../types';
import { LXC_FIELDS, NIC_MODELS, type NicFields, PropertyValueError, QEMU_FIELDS } from './nic-grammar';
import { MAX_NIC_LENGTH, type NicToken, parseNicTokens } from './nic-tokens';

/** An interface as stored, and what it means. */
export type NicView = { tokens: NicToken[]; fields: NicFields };
export type NicViewResult = { ok: true; view: NicView } | { ok: false; reason: string };

const emptyFields = (): NicFields => ({
  guest_name: null,
  model: null,
  mac: null,
  bridge: null,
  vlan_tag: null,
  trunks: null,
  firewall: false,
  link_down: false,
  mtu: null,
  rate_mbytes: null,
  ip_config: null,
});

/** `virtio=<mac>` is short for `model=virtio,macaddr=<mac>`, and a bare `virtio` for `model=virtio`. */
function expandQemu({ key, value }: NicToken): [string, string][] {
  if (key === null) return [['model', value]];
  return NIC_MODELS.some((model) => model === key)
    ? [
        ['model', key],
        ['macaddr', value],
      ]
    : [[key, value]];
}

function expandLxc({ key, value }: NicToken): [string, string][] {
  if (key === null) throw new PropertyValueError(`${value} has no key`);
  return [[key, value]];
}

function readFields(kind: GuestKind, tokens: readonly NicToken[]): NicFields {
  const grammar = kind === 'qemu' ? QEMU_FIELDS : LXC_FIELDS;
  const fields = emptyFields();
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.text === '') continue;
    for (const [key, value] of kind === 'qemu' ? expandQemu(token) : expandLxc(token)) {
      if (seen.has(key)) throw new PropertyValueError(`${key} is specified twice`);
      seen.add(key);
      // A key that this version does not know is kept for edits and otherwise ignored.
      if (Object.hasOwn(grammar, key)) grammar[key]?.(fields, value);
    }
  }
  if (kind === 'qemu' && fields.model === null) throw new PropertyValueError('no known NIC model');
  if (kind === 'lxc' && fields.guest_name === null) throw new PropertyValueError('no interface name');
  return fields;
}

/** Reads a `netN` value. What cannot be understood is an answer with the reason, never a guess. */
export function viewNic(kind: GuestKind, text: string): NicViewResult {
  if (text.length > MAX_NIC_LENGTH) return { ok: false, reason: `longer than ${MAX_NIC_LENGTH} characters` };
  try {
    const tokens = parseNicTokens(text);
    return { ok: true, view: { tokens, fields: readFields(kind, tokens) } };
  } catch (error) {
    if (error instanceof PropertyValueError) return { ok: false, reason: error.message.slice(0, 200) };
    throw error;
  }
}

/** Reads a `netN` value into the provider's type. */
export function toGuestNic(
  name: string,
  kind: GuestKind,
  text: string,
  pending: boolean,
): GuestNic | { reason: string } {
  const result = viewNic(kind, text);
  return result.ok ? { name, ...result.view.fields, pending, raw: text } : { reason: result.reason };
}
