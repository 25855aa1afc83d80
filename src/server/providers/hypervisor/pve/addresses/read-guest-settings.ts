import { z } from 'zod';
import type { GuestRef, GuestSettings } from '../../types';
import { parseObject } from '../answers/parse-list';
import { apiPath } from '../http/encode';
import type { InventoryContext } from '../inventory/context';
import { creationFingerprint } from '../inventory/creation-fingerprint';
import { readNics, whereverItIs } from '../inventory/read-guest-config';
import { agentEnabled } from './agent-option';

const Config = z.looseObject({ agent: z.unknown().optional(), ostype: z.unknown().optional() });
const NOTHING_PENDING: ReadonlySet<string> = new Set();

/** One call: what a guest's live configuration says about its addresses. */
export function readGuestSettings(context: InventoryContext, guest: GuestRef): Promise<GuestSettings> {
  return whereverItIs(context, guest, async (found) => {
    const { node, kind, vmid } = found;
    const { data } = await context.client.get(apiPath`/nodes/${node}/${kind}/${vmid}/config`, {
      node,
      params: { current: true },
      direct: true,
    });
    const live = parseObject(`the configuration of guest ${vmid}`, Config, data);
    const { nics, unreadable } = readNics(found, live, NOTHING_PENDING);
    return {
      node,
      creation_fingerprint: creationFingerprint(kind, live, nics[0]?.mac ?? null),
      nics,
      unreadable,
      agent_enabled: kind === 'qemu' && agentEnabled(live.agent),
      os_managed: kind === 'lxc' && live.ostype !== 'unmanaged',
    };
  });
}
