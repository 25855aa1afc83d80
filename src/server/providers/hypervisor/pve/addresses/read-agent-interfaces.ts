import { ProviderError } from '../../errors';
import type { GuestInterfaces, GuestRef } from '../../types';
import { stripControls } from '../answers/fields';
import type { PveClient } from '../client';
import { apiPath } from '../http/encode';
import { interfaceFacts, isFields } from './parse-interfaces';

/** A command that the agent rejects has status 200 with an error in the body. */
function refusal(vmid: number, error: Record<string, unknown>): ProviderError {
  const text = typeof error.desc === 'string' ? stripControls(error.desc.slice(0, 200)) : 'no reason given';
  return new ProviderError(
    'agent_unavailable',
    `The guest agent of ${vmid} refused to list its interfaces (${text})`,
    'Allow guest-network-get-interfaces in the configuration of qemu-guest-agent inside the guest, or update the agent.',
  );
}

/**
 * The interfaces inside a virtual machine, from its guest agent. The node is asked directly where possible: a dead agent
 * holds the call for seconds.
 */
export async function readAgentInterfaces(client: PveClient, { node, vmid }: GuestRef): Promise<GuestInterfaces> {
  const { data } = await client.get(apiPath`/nodes/${node}/qemu/${vmid}/agent/network-get-interfaces`, {
    node,
    kind: 'agent',
    daemon: true,
    direct: true,
  });
  const result = isFields(data) ? data.result : undefined;
  if (isFields(result) && isFields(result.error)) throw refusal(vmid, result.error);
  if (!Array.isArray(result)) {
    throw new ProviderError(
      'bad_answer',
      `The guest agent of ${vmid} did not return a list of interfaces`,
      'Update qemu-guest-agent inside the guest.',
    );
  }
  return interfaceFacts(result, (entry) => {
    const listed = entry['ip-addresses'];
    return Array.isArray(listed) ? listed : null;
  });
}
