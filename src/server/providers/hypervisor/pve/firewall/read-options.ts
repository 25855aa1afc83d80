import type { LiveOptions } from '../../firewall-types';
import type { GuestRef } from '../../types';
import { parseObject } from '../answers/parse-list';
import type { PveClient } from '../client';
import { apiPath } from '../http/encode';
import { OptionsAnswer } from './answer-schemas';

/** Options of a guest as they are stored; its node is asked. @throws ProviderError */
export async function readOptions(client: PveClient, { node, kind, vmid }: GuestRef): Promise<LiveOptions> {
  const { data } = await client.get(apiPath`/nodes/${node}/${kind}/${vmid}/firewall/options`, { node });
  const { digest, ...value } = parseObject(`the firewall options of guest ${vmid}`, OptionsAnswer, data ?? {});
  return { value, digest };
}
