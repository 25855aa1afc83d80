import { z } from 'zod';
import type { GuestRef, GuestSettings } from '../../types';
import { parseObject } from '../answers/parse-list';
import { apiPath } from '../http/encode';
import type { InventoryContext } from '../inventory/context';
import { creationFingerprint } from '../inventory/creation-fingerprint';
import { readNics, withGuestRelocation } from '../inventory/read-guest-config';

const OFF = /^(0|no|off|false)$/i;

/** Whether the `agent` option of a virtual machine asks for a guest agent: `1`, `on`, `enabled=1,fstrim_cloned_disks=1`. */
export function isAgentEnabled(option: unknown): boolean {
  if (typeof option === 'number' || typeof option === 'boolean') return Boolean(option);
  if (typeof option !== 'string' || option === '') return false;
  const parts = option.split(',').map((part) => part.trim());
  // The key of the first value may be left out.
  const value =
    parts.find((part) => part.startsWith('enabled='))?.slice(8) ?? parts.find((part) => !part.includes('='));
  return value !== undefined && value !== '' && !OFF.test(value);
}

const Config = z.looseObject({ agent: z.unknown().optional(), ostype: z.unknown().optional() });
const NOTHING_PENDING: ReadonlySet<string> = new Set();

/** One call: what a guest's live configuration says about its addresses. */
export function readGuestSettings(context: InventoryContext, guest: GuestRef): Promise<GuestSettings> {
  return withGuestRelocation(context, guest, async (found) => {
    const { node, kind, vmid } = found;
    const { data } = await context.client.get(apiPath`/nodes/${node}/${kind}/${vmid}/config`, {
      node,
      params: { current: true },
      direct: true,
    });
    const live = parseObject(`the configuration of workload ${vmid}`, Config, data);
    const { nics, unreadable } = readNics(found, live, NOTHING_PENDING);
    return {
      node,
      creation_fingerprint: creationFingerprint(kind, live, nics[0]?.mac ?? null),
      nics,
      unreadable,
      agent_enabled: kind === 'qemu' && isAgentEnabled(live.agent),
      os_managed: kind === 'lxc' && live.ostype !== 'unmanaged',
    };
  });
}
