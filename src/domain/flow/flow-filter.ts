import { z } from 'zod';
import { FLOW_DECISIONS } from '../choices';
import { FilterText } from '../filter-language/filter-text';
import { Time } from '../time';
import { isEnd, isProtocol, MAX_PORTS, portRanges } from './typed-filter';

const id = (of: string) => z.uuid(`The ID of a ${of}.`).optional();
const endId = z.union([z.uuid(), z.literal('none')], 'The ID of a workload, or none.').optional();
const END = 'An address, a prefix such as 10.0.0.0/24, internal or external.';
export const EndFilterText = z.string().trim().refine(isEnd, END);
const PORTS = 'Ports from 0 to 65535, or ranges such as 8000-8010.';
const port = z
  .union([z.int().min(0).max(65535), z.string().max(1000)], PORTS)
  .transform((given, context) => {
    const ranges = portRanges(String(given));
    if (Array.isArray(ranges)) return ranges;
    context.addIssue({
      code: 'custom',
      message: ranges === 'too_many' ? `At most ${MAX_PORTS} ports and ranges.` : PORTS,
    });
    return z.NEVER;
  })
  .optional();
const decision = z.enum(FLOW_DECISIONS, `One or more of ${FLOW_DECISIONS.join(', ')}.`);

/**
 * What narrows flows down, in every view of them. The time range holds flows that were active in it: without `since` the
 * hour before `until`, without `until` up to now.
 */
export const flowFilters = {
  since: Time.optional(),
  until: Time.optional(),
  /** At either end. */
  workload_id: id('workload'),
  /** At one end; `none` is an end where no known workload is. */
  source_workload_id: endId,
  destination_workload_id: endId,
  /** As the users of this tenant see them: another tenant's workload at the other end has no name. */
  tenant_id: id('tenant'),
  cluster_id: id('cluster'),
  node_id: id('node'),
  /** The flows of one conversation; without `since` all that are stored. */
  conversation_id: id('conversation'),
  /** Address, CIDR, `internal` or `external`: at either end, or at one. */
  address: EndFilterText.optional(),
  source: EndFilterText.optional(),
  destination: EndFilterText.optional(),
  /** Ports and ranges of the service (`80,443,8000-8010`), whichever direction; from 32768 on the caller's too. */
  port,
  protocol: z.string().trim().toLowerCase().refine(isProtocol, 'A protocol such as tcp, udp or icmp.').optional(),
  /** A list, in a query string with commas. */
  decision: z
    .union([z.string().transform((text) => text.split(',').filter(Boolean)), z.array(z.string())])
    .pipe(z.array(decision).max(FLOW_DECISIONS.length))
    .optional(),
};

/** What narrows flows down by the conversations that they are a part of. */
export const textFilter = {
  /** A condition of the filter language, such as `client = group:web and service = tcp/5432`: flows of conversations for which it holds. */
  filter: FilterText,
};

/** Filters and a search text, without paging. */
export const FlowFilter = z.strictObject({
  ...flowFilters,
  ...textFilter,
  /** Part of a workload's name, the start of an address, a protocol, interface or state. */
  q: z.string().trim().max(200, 'At most 200 characters.').optional(),
});
export type FlowFilter = z.output<typeof FlowFilter>;
