import type { Endpoint } from '@/domain/policy/endpoint';

/** What an endpoint names. */
export const ENDPOINT_KIND_WORDS: Record<Endpoint['kind'], string> = {
  any: 'Any',
  security_group: 'Security group',
  vmid: 'Workload by number',
  network: 'Network',
  tag: 'Tag',
  address: 'Address',
  workload: 'Workload',
};
