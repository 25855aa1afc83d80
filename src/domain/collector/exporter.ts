import { z } from 'zod';
import { EXPORTER_SORTS, EXPORTER_STATES } from '../choices';
import { createPageSchema, listInput } from '../list';
import { formatIp, parseIp, unmapIp } from '../net/ip-address';
import { DisplayName, Version } from '../tenant';
import { EXPORT_PROTOCOLS } from './observation';

/** From where datagrams come, in canonical form. */
const SenderAddress = z
  .string('Enter the address as text.')
  .trim()
  .transform((text, context) => {
    const ip = parseIp(text);
    if (ip) return formatIp(unmapIp(ip));
    context.addIssue({ code: 'custom', message: 'An IPv4 or IPv6 address.' });
    return z.NEVER;
  });
const NodeId = z.uuid('The ID of a node.').nullable();
const Enabled = z.boolean('One of true, false.');

/** Who may send flow records. `node_id` null: a device that is no node, such as a switch. */
export const FlowExporterInput = z.strictObject({
  name: DisplayName,
  address: SenderAddress,
  cluster_id: z.uuid('The ID of a cluster.'),
  node_id: NodeId.default(null),
  enabled: Enabled.default(true),
});
export type FlowExporterInput = z.output<typeof FlowExporterInput>;

/** Omitted fields stay. The cluster never changes: its addresses say which workloads the records are about. */
export const FlowExporterUpdate = z.strictObject({
  name: DisplayName.optional(),
  address: SenderAddress.optional(),
  node_id: NodeId.optional(),
  enabled: Enabled.optional(),
  version: Version,
});
export type FlowExporterUpdate = z.output<typeof FlowExporterUpdate>;

/** What an exporter has sent since it was created. */
export const ExporterCounters = z.object({
  datagrams: z.int(),
  /** Records about IP traffic. */
  records: z.int(),
  /** Of these, those that count as flows of the node. */
  stored: z.int(),
  /** Missing by sequence numbers: datagrams, or records of IPFIX. */
  lost: z.int(),
  /** Data whose template had not been announced. */
  unknown_templates: z.int(),
  /** Datagrams of which a part could not be read. */
  malformed: z.int(),
  /** Records whose times were not plausible, or missing: the time of arrival counts. */
  untimed: z.int(),
  /** Records that were not stored because the agent of the node reports. */
  superseded: z.int(),
  /** Records that were not stored for another reason: no node, no room, or older than the retention. */
  dropped: z.int(),
  /** Records of sampled traffic, which is not exact. */
  sampled: z.int(),
  /** Of these, those that are stored as estimates. The others have no known rate, or are among those not stored. */
  estimated: z.int(),
  /** Of these, those beyond the pairs that are stored of an hour: they are summed up without their ends. */
  folded: z.int(),
});
export type ExporterCounters = z.output<typeof ExporterCounters>;

export const FlowExporter = z.object({
  id: z.uuid(),
  name: z.string(),
  address: z.string(),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  node_id: z.uuid().nullable(),
  node_name: z.string().nullable(),
  enabled: z.boolean(),
  /** `waiting` has sent nothing yet, `silent` nothing for 15 minutes. */
  state: z.enum(EXPORTER_STATES),
  /** Whether the agent of the node reports, so that this exporter's exact flows are not stored. */
  has_agent: z.boolean(),
  last_seen_at: z.iso.datetime().nullable(),
  protocol: z.enum(EXPORT_PROTOCOLS).nullable(),
  /** Of so many packets one was sampled in the newest sampled record; null: none was sampled. */
  sampling: z.number().nullable(),
  ...ExporterCounters.shape,
  version: z.int(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type FlowExporter = z.output<typeof FlowExporter>;

export const FlowExporterListInput = listInput(EXPORTER_SORTS, {
  cluster_id: z.uuid().optional(),
  state: z.enum(EXPORTER_STATES, `One of ${EXPORTER_STATES.join(', ')}.`).optional(),
});
export type FlowExporterListInput = z.output<typeof FlowExporterListInput>;
export const FlowExporterPage = createPageSchema(FlowExporter);

/** A process that receives datagrams. */
export const CollectorProcess = z.object({
  id: z.string(),
  /** Address and port. */
  listens: z.string(),
  started_at: z.iso.datetime(),
  /** It writes this every few seconds. */
  seen_at: z.iso.datetime(),
  /** Since it started: all that arrived, those of senders that are not listed, and those in no protocol that is read. */
  datagrams: z.int(),
  refused: z.int(),
  unreadable: z.int(),
});

/** An address that sent datagrams and is not listed. */
export const RefusedSender = z.object({
  address: z.string(),
  datagrams: z.int(),
  first_seen_at: z.iso.datetime(),
  last_seen_at: z.iso.datetime(),
});
export type RefusedSender = z.output<typeof RefusedSender>;

/** The collector as a whole: no process, no collector. */
export const CollectorStatus = z.object({
  processes: z.array(CollectorProcess),
  /** The newest ones. */
  refused_senders: z.array(RefusedSender),
});
export type CollectorStatus = z.output<typeof CollectorStatus>;
