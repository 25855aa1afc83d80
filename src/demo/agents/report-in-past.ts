import { heartbeatEnvelopeSchema } from '@fabric/agent-contract';
import { clock } from '@/server/lib/clock';
import { readAgent } from '@/server/traffic/agents/agent-identity';
import { watchAgents } from '@/server/traffic/agents/agents';
import { recordHeartbeat } from '@/server/traffic/agents/record-heartbeat';
import type { ClustersView } from '../traffic/clusters-view';
import { makeHeartbeat } from '../traffic/heartbeat';

const ORIGIN = { request_id: 'demo', source_address: null };

type Report = { site: string; node: string; boot_id: string; token: string; sequence: number; at: number };

/**
 * Lets the service receive a heartbeat without flows at a time before now, as if the demo had run then, and marks the agent as
 * stale. The clock is that of this process: the caller awaits this and starts nothing else.
 */
export async function reportInPast(view: ClustersView, { token, at, ...report }: Report): Promise<void> {
  const heartbeat = makeHeartbeat(view, {
    ...report,
    observed_since: at,
    sent_at: at,
    flows: [],
    totals: {},
    moved: {},
  });
  const { now } = clock;
  clock.now = () => new Date(at);
  try {
    const request = new Request('http://demo.invalid', { headers: { authorization: `Bearer ${token}` } });
    const agent = await readAgent(request, ORIGIN);
    await recordHeartbeat(agent, heartbeatEnvelopeSchema.parse({ ...heartbeat, interfaces: [] }));
  } finally {
    clock.now = now;
  }
  await watchAgents();
}
