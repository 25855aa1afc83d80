import type { Endpoint } from '@/domain/policy/endpoint';
import { msg } from '@/lib/i18n/translator';

/** What an endpoint names. */
export const ENDPOINT_KIND_WORDS: Record<Endpoint['kind'], string> = {
  any: msg('Any'),
  security_group: msg('Security group'),
  vmid: msg('Workload by number'),
  network: msg('Network'),
  tag: msg('Tag'),
  address: msg('Address'),
  workload: msg('Workload'),
};
