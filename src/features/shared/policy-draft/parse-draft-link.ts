import { type DraftEnd, PolicyDraftInput } from '@/domain/policy-draft';

/** What the link to a draft asks for; null without a draft in it, or with one that cannot be read. */
export function parseDraftLink(params: URLSearchParams): PolicyDraftInput | null {
  if (!params.has('draft')) return null;
  const get = (name: string) => params.get(name) ?? undefined;
  const only = get('only_workload_id');
  const parseWorkloads = (name: string) => {
    const [first, ...others] = get(name)?.split(',') ?? [];
    return others.length > 0 ? { workload_ids: [first, ...others] } : { workload_id: first };
  };
  const destination: Record<keyof DraftEnd, unknown> = {
    workload_id: undefined,
    workload_ids: undefined,
    ...(only === undefined ? parseWorkloads('destination_workload_id') : { workload_ids: [only] }),
    security_group_id: get('security_group_id'),
    address: get('destination'),
  };
  const read = PolicyDraftInput.safeParse({
    source: { ...parseWorkloads('source_workload_id'), address: get('source') },
    destination,
    protocol: get('protocol'),
    port: get('port'),
    icmp_type: get('icmp_type'),
    direction: get('direction'),
    action: get('action'),
  });
  return read.success ? read.data : null;
}
