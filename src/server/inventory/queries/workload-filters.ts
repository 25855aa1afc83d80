import { eq, ilike, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { WorkloadListInput } from '@/domain/inventory';
import { normalizeMac } from '@/domain/net/mac-address';
import { answeredElsewhere, conditionsOf, isSet } from '../../db/declared-fields';
import { likePattern } from '../../db/like-pattern';
import { ipAddresses } from '../../db/schema/addresses';
import { workloadInterfaces, workloads } from '../../db/schema/workloads';

/** The start of an address as the database writes it: what is typed so far of `10.0.0.5` or `fd00::1`. */
const ADDRESS_PART = /^[0-9a-f.:]{2,39}$/i;
/** A part of a MAC address: at least two digits, colons or dashes between pairs. */
const MAC_PART = /^[0-9a-f]{2}([:-][0-9a-f]{0,2}){0,5}$/i;

/** The condition for a search text: name, vmid, external id, tag, MAC address or IP address. */
function searchCondition(text: string): SQL | undefined {
  const pattern = likePattern(text);
  const macPart = normalizeMac(text) ?? (MAC_PART.test(text) ? text.replaceAll('-', ':') : null);
  return or(
    ilike(workloads.name, pattern),
    ilike(workloads.external_id, pattern),
    ilike(sql`array_to_string(${workloads.tags}, chr(10))`, pattern),
    macPart === null
      ? undefined
      : sql`${workloads.id} in (select ${workloadInterfaces.workload_id} from ${workloadInterfaces}
          where ${workloadInterfaces.mac}::text like ${likePattern(macPart.toLowerCase())})`,
    ADDRESS_PART.test(text)
      ? sql`${workloads.id} in (select ${ipAddresses.workload_id} from ${ipAddresses}
          where ${ipAddresses.workload_id} is not null and host(${ipAddresses.address}) like ${`${text.toLowerCase()}%`})`
      : undefined,
  );
}

/** The conditions of a list's filters. */
export const workloadFilters = (input: Omit<WorkloadListInput, 'limit' | 'cursor' | 'sort'>): (SQL | undefined)[] =>
  conditionsOf(input, workloads, {
    q: searchCondition,
    tag: (tag) => sql`${workloads.tags} @> array[${tag}]::text[]`,
    missing: isSet(workloads.missing_since),
    project_id: (id) => (id === 'none' ? isNull(workloads.project_id) : eq(workloads.project_id, id)),
    network_id: (id) => sql`${workloads.id} in (select ${workloadInterfaces.workload_id} from ${workloadInterfaces}
      where ${eq(workloadInterfaces.network_id, id)})`,
    enforcement: answeredElsewhere,
    protection: answeredElsewhere,
  });
