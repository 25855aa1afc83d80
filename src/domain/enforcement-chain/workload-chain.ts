import { z } from 'zod';
import { UnreadableNote } from '../policy-preview';
import { CHAIN_LINKS, FIX_NAMES, LINK_DETAIL_NAMES, LINK_STATES } from './link-details';

const ENFORCED = ['yes', 'no', 'unknown'] as const;
const IMPLEMENTATIONS = ['iptables', 'nftables'] as const;

/** One link of the chain from the data center's switch to the packet. */
export const EnforcementLink = z.object({
  link: z.enum(CHAIN_LINKS),
  state: z.enum(LINK_STATES),
  /** What was found, and the same as text. */
  code: z.enum(LINK_DETAIL_NAMES),
  detail: z.string(),
  /** What to do; absent where the link holds. */
  fix: z.object({ action: z.enum(FIX_NAMES), text: z.string() }).optional(),
});
export type EnforcementLink = z.output<typeof EnforcementLink>;

export const InterfaceChain = z.object({
  nic: z.string(),
  enforced: z.enum(ENFORCED),
  /** How the node filters; null: not known. */
  implementation: z.enum(IMPLEMENTATIONS).nullable(),
  /** In the order in which they have to hold. Those of the other implementation are left out. */
  links: z.array(EnforcementLink),
  first_broken: z.enum(CHAIN_LINKS).nullable(),
  first_unknown: z.enum(CHAIN_LINKS).nullable(),
  /** Open connections that the rules deny and that are older than these; null: not known. */
  older_connections: z.int().nullable(),
});
export type InterfaceChain = z.output<typeof InterfaceChain>;

/** Whether rules really filter the packets of a workload, by interface, with every link that it depends on. */
export const WorkloadChain = z.object({
  workload_id: z.uuid(),
  vmid: z.int(),
  /** `absent` only with proof. */
  presence: z.enum(['present', 'absent', 'unknown']),
  /** When the cluster was read. */
  read_at: z.string(),
  /** What the agent of the node knows is as of `reported_at`. */
  agent: z.object({ state: z.enum(['none', 'stale', 'reporting']), reported_at: z.string().nullable() }),
  /** Null for those who may not read clusters, and where it is not known. */
  node: z.object({ node_id: z.uuid(), name: z.string() }).nullable(),
  /** The worst of its interfaces; `no_interfaces` where it has none. */
  enforced: z.enum([...ENFORCED, 'no_interfaces']),
  interfaces: z.array(InterfaceChain),
  unreadable: z.array(UnreadableNote),
});
export type WorkloadChain = z.output<typeof WorkloadChain>;
