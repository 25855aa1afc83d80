import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { KeptFile } from '../kept-file';

const Totals = z.object({
  rx_bytes: z.number(),
  rx_packets: z.number(),
  tx_bytes: z.number(),
  tx_packets: z.number(),
});

const Agent = z.object({ boot_id: z.string(), node_id: z.string().optional(), token: z.string().optional() });

/** How far the demo's agents have come. */
export const TrafficState = z.object({
  seed: z.int(),
  /** The slot in which the demo was first started. */
  first_slot: z.int(),
  covered_to: z.int(),
  /** History before that which is still to be delivered. */
  older: z.object({ from: z.int(), to: z.int() }),
  /** What was being delivered when this was written; it is delivered again, and the service knows what it has. */
  round: z.object({ from: z.int(), to: z.int(), kind: z.enum(['live', 'late', 'older']) }).optional(),
  agents: z.record(z.string(), Agent),
  /** Totals of the interfaces by node, at the end of `covered_to`. */
  totals: z.record(z.string(), z.record(z.string(), Totals)),
});
export type TrafficState = z.output<typeof TrafficState>;
export type AgentState = z.output<typeof Agent>;

export const trafficFile = (directory: string): KeptFile<TrafficState> =>
  new KeptFile(join(directory, 'traffic.json'), TrafficState);

/** @param history slots before the first start that are delivered; the `recent` ones of them first */
export const newTraffic = (seed: number, first_slot: number, history: number, recent: number): TrafficState => ({
  seed,
  first_slot,
  covered_to: first_slot - recent,
  older: { from: first_slot - history, to: first_slot - recent },
  agents: {},
  totals: {},
});

/** The agent of a node; it comes into being when it is first asked for. */
export function getOrCreateAgent(state: TrafficState, key: string): AgentState {
  const known = state.agents[key];
  if (known) return known;
  const agent: AgentState = { boot_id: randomUUID() };
  state.agents[key] = agent;
  return agent;
}
